"""Results in plain words: the headline sentence of an audit, and numbers as people read them."""

from __future__ import annotations

import math
from typing import Any


def headline(audit: dict[str, Any]) -> str:
    """What a reader must know, in a few sentences."""
    return " ".join([*_privacy_in_words(audit), _utility_in_words(audit)])


def _privacy_in_words(audit: dict[str, Any]) -> list[str]:
    """What is gone on average, where most is left, and for what this cannot be told."""
    secrets = audit["secrets"]
    if not secrets:
        return ["No secret was attacked."]
    graded = [name for name, secret in secrets.items() if secret["leakage_removed"] is not None]
    unknown = [name for name in secrets if name not in graded]
    told = []
    if graded:
        told.append(
            f"{percent(audit['summary']['leakage_removed'])} of what the best attack could learn is gone, on average "
            f"over {_readings(len(graded), len(secrets))}."
        )
        over_floor = audit["summary"].get("leakage_removed_over_floor")
        if over_floor is not None:
            told.append(
                f"Above what the same attacks reach with nothing to learn, {percent(over_floor)} is gone."
            )
    name = max(secrets, key=lambda name: _learned(secrets[name]))
    worst = secrets[name]["worst"]
    told.append(
        f"The weakest point is {secret_in_words(name, secrets[name]['kind'])}: the best attack on the anonymized "
        f"features reaches {number(worst['anonymized']['value'])} where guessing gives "
        f"{number(secrets[name]['chance'])} and raw features gave {number(worst['raw']['value'])}."
    )
    if unknown:
        names = "; ".join(secret_in_words(name, secrets[name]["kind"]) for name in unknown)
        told.append(
            f"How much is gone cannot be told of {names}: "
            "there the raw features are not better than guessing by more than their interval."
        )
    return told


def _readings(count: int, of: int) -> str:
    """So many readings, and of how many, where these are more."""
    amount = f"{count} of {of}" if count < of else f"{count}"
    return f"{amount} {'reading' if of == 1 else 'readings'} (a secret from stored clips, or from stills)"


def _learned(secret: dict[str, Any]) -> float:
    """What the best attack on anonymized features knows, from 0 (guessing) to 1 (everything); -1 where unknown."""
    value, chance = secret["worst"]["anonymized"]["value"], secret["chance"]
    if value is None or chance is None or chance >= 1:
        return -1.0
    return (value - chance) / (1 - chance)


def _utility_in_words(audit: dict[str, Any]) -> str:
    """What the tasks reach, beside what guessing would."""
    if not audit["tasks"]:
        return "No task was measured."
    kept = audit["summary"]["utility_kept"]
    if kept is None:
        return "No task works on the raw features to begin with."
    useful = [task for task in audit["tasks"].values() if task["kept"] is not None]
    guessed = sum(task["chance"] / task["raw"]["value"] for task in useful) / len(useful)
    return f"The tasks reach {percent(kept)} of their raw scores (guessing would reach {percent(guessed)})."


def attacker_in_words(audit: dict[str, Any]) -> str:
    """Whether the attacks knew the adapter itself, and what that gave them."""
    attacker = audit.get("attacker")
    if attacker is None:
        return "It is not recorded whether an attacker was tried who holds the adapter itself."
    if attacker["holds_adapter"] and not attacker["redrawn_copies"]:
        return "The adapter adds no noise: who holds it can make nothing that the attacks did not learn from already."
    if attacker["holds_adapter"] and any(
        "informed" in secret["attacks"] for secret in audit["secrets"].values()
    ):
        return (
            "The informed attack holds the adapter too: it learned from "
            f"{attacker['redrawn_copies']} more copies of its videos, anonymized with other noise."
        )
    return (
        "An attacker who holds the adapter itself was not tried: whoever gets it could learn more. "
        "Audit with --adapter and the informed attack to see."
    )


def inversion_in_words(audit: dict[str, Any]) -> str:
    """What decoders that draw pictures from features came to, or that none was tried."""
    inversion = audit.get("inversion")
    if inversion is None:
        return "No decoder was tried that draws pictures from the features. Audit with --videos to see."
    psnr, attribute = inversion["psnr"], inversion["attribute"]
    secret = attribute["secret"].replace("_", " ")
    return (
        f"A decoder that learns from the anonymized features draws frames at {psnr['adaptive']['value']:.1f} dB PSNR "
        f"(from raw features {psnr['raw']['value']:.1f}, from no feature at all {psnr['mean_frame']['value']:.1f}); "
        f"{secret} is named in {percent(attribute['adaptive']['value'])} of its pictures "
        f"(raw {percent(attribute['raw']['value'])}, guessing {percent(attribute['chance'])})."
    )


def secret_in_words(name: str, kind: str) -> str:
    """A secret's name for a sentence: what is asked, and of which clips."""
    plain = name.removesuffix("_static").replace("_", " ")
    return f"{plain}, read from {'stored clips' if kind == 'temporal' else 'stills'}"


def percent(share: float | None) -> str:
    """A share as whole per cent; an unknown one as a dash."""
    return "–" if share is None or not math.isfinite(share) else f"{share:.0%}"


def number(value: float | None, *, digits: int = 2) -> str:
    """A number; an unknown one as a dash."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def interval(found: dict[str, float | None], *, digits: int = 3) -> str:
    """A value with its interval, as in 0.62 [0.58, 0.66]; the interval is left out where it is unknown."""
    value, low, high = (number(found[name], digits=digits) for name in ("value", "low", "high"))
    return value if "–" in (low, high) else f"{value} [{low}, {high}]"
