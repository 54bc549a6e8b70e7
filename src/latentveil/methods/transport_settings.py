"""What can be set of `transport`."""

from __future__ import annotations

from pydantic import Field

from latentveil.config import Section, Settings
from latentveil.methods.transport_groups import STILLS, VIDEO

HIDE = 0.9  # of what is told of the groups
HIDE_CLUSTERS = 0.75  # of looks: fine ones also part what people do, which is not to be hidden
MOST_NOISE, MOST_NOISE_OF_CLUSTERS = 2.0, 1.0  # in parts of how much likes differ, for the same reason


class TransportSection(Section):
    """``groups`` is a column of the labels (person, recording, …), ``stills`` for clusters of looks, or ``video``.

    ``components`` are kept of each clip: those along which clips differ much and stills little, or with
    ``by_variance`` those along which clips differ the most (also where there are no stills, or clips say no more than
    they do). ``window`` clips are moved together (0: a video of up to four clips as a whole, longer ones clip by clip,
    where there are enough of both, see `transport_lengths`). ``cov`` is the weight of a group's own covariance against the common one, ``strength`` how much more than
    the best guess of a group's offset goes, ``draw`` the size of the draws (0: none, which leaks; 1 would do if all
    videos of a group were independent). ``temperature`` says how unlike a video may be that counts as its like in
    another group, in parts of the typical distance (0: videos are levelled and not moved to the middle), ``noise`` how
    much of it is added in parts of how much likes differ (left out: as little as hides ``hide`` of what a quick
    attacker tells of the groups). ``own`` is how much a video counts as its own like (left out: as that attacker says;
    where ``noise`` is set, 1). ``clusterings`` of looks are made, the coarsest of ``groups_of_stills`` (0: the most
    stable number). ``secret`` draws come from the randomness of the system, so that nobody can repeat them; otherwise
    from the seed.
    """

    groups: str = STILLS
    components: int = Field(64, ge=1)
    by_variance: bool = False
    window: int = Field(0, ge=0)
    cov: float = Field(0.5, ge=0, le=1)
    strength: float = Field(4.0, gt=0)
    draw: float = Field(1.25, ge=0)
    temperature: float = Field(0.1, ge=0)
    noise: float | None = Field(None, ge=0)
    hide: float | None = Field(None, ge=0, le=1)
    own: float | None = Field(None, ge=0, le=1)
    groups_of_stills: int = Field(0, ge=0)
    clusterings: int = Field(4, ge=1)
    secret: bool = False

    @property
    def hidden(self) -> float:
        """The share that is set, or else the usual one of such groups."""
        if self.hide is not None:
            return self.hide
        return HIDE_CLUSTERS if self.groups == STILLS else HIDE


class TransportSettings(Settings):
    """The groups, the components, and both steps."""

    transport: TransportSection = TransportSection()

    def group_column(self) -> str | None:
        return None if self.transport.groups in (STILLS, VIDEO) else self.transport.groups
