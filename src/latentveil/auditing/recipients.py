"""Who gets the features, and so what an attacker holds: each recipient can do what the one before it can, and more."""

from __future__ import annotations

from dataclasses import dataclass

from latentveil.attacks.base import Attack
from latentveil.errors import UsageError
from latentveil.names import did_you_mean
from latentveil.results.risks import Recipient as RecipientWords


@dataclass(frozen=True)
class Recipient:
    """One who holds the features: in plain words what else they hold, and which attacks that allows."""

    name: str
    holds: str
    allows: str
    has_labels: bool = False
    has_adapter: bool = False
    has_raw: bool = False

    def in_words(self) -> RecipientWords:
        """For audit.json: the words only."""
        return RecipientWords(self.name, self.holds, self.allows)


RECIPIENTS = (
    Recipient(
        "features",
        holds="the anonymized features and nothing else",
        allows="comparing videos with each other by similarity, without learning from anybody's labels",
    ),
    Recipient(
        "labels",
        holds="the anonymized features, and who and what is seen in some of them, of other people",
        allows="attacks that learn from other people's videos: secrets of strangers, and what tells people apart",
        has_labels=True,
    ),
    Recipient(
        "adapter",
        holds="the anonymized features, labels of other people, and the adapter itself",
        allows="running own videos through the adapter, so learning the way back from pairs, and averaging noise away",
        has_labels=True,
        has_adapter=True,
    ),
    Recipient(
        "raw",
        holds="the anonymized features, labels of other people, the adapter, and raw videos of the person looked for",
        allows="comparing raw videos of a person with anonymized ones, learning from other people's videos and from "
        "pairs, and averaging noise away",
        has_labels=True,
        has_adapter=True,
        has_raw=True,
    ),
)
STRONGEST = RECIPIENTS[-1]
ALL = "all"


def find_recipient(name: str) -> Recipient:
    """The recipient of that name."""
    for recipient in RECIPIENTS:
        if recipient.name == name:
            return recipient
    known = [*(one.name for one in RECIPIENTS), ALL]
    raise UsageError(f"recipient must be one of {', '.join(known)}, got {name!r}.{did_you_mean(name, known)}")


def find_recipients(name: str | None) -> tuple[Recipient | None, tuple[Recipient, ...]]:
    """Whom an audit is for, and who else is asked about: all others where ``name`` is "all", else nobody."""
    if name == ALL:
        return STRONGEST, RECIPIENTS[:-1]
    return (None if name is None else find_recipient(name)), ()


def weakest_for(attack: Attack, *, redrawn: bool) -> Recipient:
    """Who holds the least of all who could mount this attack on a secret; ``redrawn`` says that there are draws."""
    takes_adapter = attack.needs_raw or (redrawn and attack.learns_from_draws)
    return next(one for one in RECIPIENTS if one.has_adapter or (one.has_labels and not takes_adapter))


def can_mount(recipient: Recipient, attack: Attack, *, redrawn: bool) -> bool:
    """Whether the recipient holds what an attack on a secret learns from."""
    needed = weakest_for(attack, redrawn=redrawn)
    return RECIPIENTS.index(recipient) >= RECIPIENTS.index(needed)
