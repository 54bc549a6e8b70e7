"""What confirms and what refutes the claim, written down before anything was measured, and the verdict by that rule."""

from __future__ import annotations

CLAIM = "The published objective blinds the grader, not the attacker."
# Shares of the raw leakage above guessing, 1 = all of it.
GRADER_BLINDED = 0.20
ATTACKER_UNHARMED = 0.05
ATTACKER_HARMED = 0.10
GRADER_UNTOUCHED = 0.05

RULE = f"""\
- **confirmed**: the public grader sees more than {GRADER_BLINDED:.0%} of the raw leakage gone, and the best attack
  finds less than {ATTACKER_UNHARMED:.0%} of it gone;
- **refuted**: the best attack finds more than {ATTACKER_HARMED:.0%} gone;
- **nothing to say**: the public grader sees less than {GRADER_UNTOUCHED:.0%} gone (and the claim is not refuted);
- **undecided**: anything else."""


def verdict(*, grader_gone: float, attack_gone: float) -> str:
    """The verdict on the claim, from the shares that the public grader and the best attack find gone."""
    if attack_gone > ATTACKER_HARMED:
        return "refuted"
    if grader_gone > GRADER_BLINDED and attack_gone < ATTACKER_UNHARMED:
        return "confirmed"
    if grader_gone < GRADER_UNTOUCHED:
        return "nothing to say"
    return "undecided"
