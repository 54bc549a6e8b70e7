"""What can be set of `transport`."""

from __future__ import annotations

from pydantic import Field, field_validator

from latentveil.config import Section, Settings
from latentveil.methods.releases.groups import STILLS, VIDEO

HIDE = 0.9  # of what is told of the groups
HIDE_CLUSTERS = 0.75  # of looks: fine ones also part what people do, which is not to be hidden


class TransportSection(Section):
    """How a release is grouped, and how its videos are moved.

    - ``groups``: a column of the labels (person, recording, …), several with commas between them, of which each is
      hidden in what those before it leave, ``stills`` for clusters of looks, or ``video``.
    - ``components`` kept of each clip: those along which clips differ much and stills little. With ``by_variance``,
      without stills, or where clips say no more than stills do, those along which clips differ the most.
    - ``window``: clips that are moved together. 0: a video of up to four clips as a whole, longer ones clip by clip,
      where there are enough of both (see `lengths`).
    - ``cov``: the weight of a group's own covariance against the common one.
    - ``strength``: how much more than the best guess of a group's offset goes.
    - ``draw``: the size of the draws. 0: none, which leaks; 1 would do if all videos of a group were independent.
    - ``temperature``: how unlike a video of another group may be that counts as alike, in parts of the typical
      distance. 0: videos are levelled, and not moved to the middle.
    - ``noise``, in parts of how much like videos differ. Left out: as little as hides ``hide`` of what a quick
      attacker tells of the groups.
    - ``own``: how much a video counts among those that are like it. Left out: as that attacker says, or 1 where
      ``noise`` is set.
    - ``clusterings`` of looks, the coarsest of ``groups_of_stills`` (0: the most stable number).
    - ``secret`` draws come from the randomness of the system, so that nobody can repeat them; else from the seed.
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

    @field_validator("groups")
    @classmethod
    def _name_each_once(cls, groups: str) -> str:
        names = groups.split(",")
        if not all(names) or len(set(names)) < len(names):
            raise ValueError("columns must be named once each, with commas between them")
        if len(names) > 1 and {STILLS, VIDEO} & set(names):
            raise ValueError(f"{STILLS} and {VIDEO} stand alone")
        return groups

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the labels, those that are hidden one after the other."""
        return () if self.groups in (STILLS, VIDEO) else tuple(self.groups.split(","))

    @property
    def hidden(self) -> float:
        """The share that is set, or else the usual one of such groups."""
        if self.hide is not None:
            return self.hide
        return HIDE_CLUSTERS if self.groups == STILLS else HIDE


class TransportSettings(Settings):
    """The groups, the components, and both steps."""

    transport: TransportSection = TransportSection()

    def group_columns(self) -> tuple[str, ...]:
        return self.transport.columns
