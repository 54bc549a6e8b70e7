"""What each control shows, in words that follow from its numbers."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.published.arms import RANDOM
from benchmarks.published.grade import ATTACK, PLAIN, PUBLIC, STANDARDISED
from benchmarks.published.rule import ATTACKER_HARMED, ATTACKER_UNHARMED, GRADER_BLINDED

# Two arms do the same where the public grader sees at least this share of the other's effect.
SAME_EFFECT = 0.5

# The share gone under each grader.
Shares = Mapping[str, float]


def explain(arms: Mapping[str, Shares]) -> list[str]:
    """One sentence per arm that is there; ``released`` must be among them."""
    released = arms["released"]
    lines = [f"- `released`: {_about_graders(released)}"]
    for arm, yes, no in (
        ("budget off", "as if the budget were not what does it", "as if it were the budget that does it"),
        (
            "time",
            "so attention over the batch is not what it takes",
            "which may be the attention, or that these adapters move stills less (see the distances)",
        ),
        (
            "cross",
            "about the same as released",
            "much less than released",
        ),
    ):
        if arm in arms:
            lines.append(
                f"- `{arm}`: {_in_numbers(arms[arm])}, {_held_against(released, arms[arm], yes, no)}."
            )
    if RANDOM in arms:
        harmed = arms[RANDOM][ATTACK] > ATTACKER_HARMED
        meaning = (
            "so a move of this length stops attackers where every still goes its own way; that of released does not"
            if harmed and released[ATTACK] < ATTACKER_HARMED
            else "which is to be held against released"
        )
        lines.append(f"- `{RANDOM}`: {_in_numbers(arms[RANDOM])}, {meaning}.")
    return lines


def _held_against(released: Shares, control: Shares, yes: str, no: str) -> str:
    """What a control says of released: ``yes`` where it does the same, ``no`` where not, if there is an effect."""
    if released[PUBLIC] > GRADER_BLINDED:
        return yes if control[PUBLIC] >= SAME_EFFECT * released[PUBLIC] else no
    if control[PUBLIC] > GRADER_BLINDED:
        return "an effect that released does not have"
    return "no effect either"


def _about_graders(shares: Shares) -> str:
    """Which peculiarity of the public grader the effect hangs on."""
    told = f"public {shares[PUBLIC]:.0%}, plain {shares[PLAIN]:.0%}, standardised {shares[STANDARDISED]:.0%} gone"
    if shares[PUBLIC] <= GRADER_BLINDED:
        return f"{told}: the public grader is not blinded, and nothing needs a reason."
    if shares[PLAIN] < ATTACKER_UNHARMED:
        return f"{told}: plain logits see it all again, which points to the unit logits or the choice of the epoch."
    if shares[STANDARDISED] < ATTACKER_UNHARMED:
        return f"{told}: standardised features show it all again, which points to scale and offset, not to the logits."
    return f"{told}: neither plain logits nor standardised features show it all again."


def _in_numbers(shares: Shares) -> str:
    return f"the public grader sees {shares[PUBLIC]:.0%} gone, the best attack {shares[ATTACK]:.0%}"
