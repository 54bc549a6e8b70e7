"""Results in plain words: the headline sentence of an audit, and numbers as people read them."""

from __future__ import annotations

import math
from typing import Any


def headline(audit: dict[str, Any]) -> str:
    """What a reader must know, in two or three sentences."""
    graded = {
        name: secret for name, secret in audit["secrets"].items() if secret["leakage_removed"] is not None
    }
    if not graded:
        opening = "The attacks read nothing in the raw features that guessing would not: there was nothing to remove."
    else:
        name, secret = min(graded.items(), key=lambda item: item[1]["leakage_removed"])
        worst = secret["worst"]
        summary = audit["summary"]["leakage_removed"]
        opening = (
            f"{percent(summary)} of what the best attack could learn is gone, on average over "
            f"{len(graded)} {'secret' if len(graded) == 1 else 'secrets'}. "
            f"The weakest point is {secret_in_words(name, secret['kind'])}: "
            "the best attack on the anonymized features reaches "
            f"{worst['anonymized']['value']:.2f} where guessing gives {secret['chance']:.2f} and raw features gave "
            f"{worst['raw']['value']:.2f}."
        )
    kept = audit["summary"]["utility_kept"]
    if kept is None:
        missing = (
            "No task was measured."
            if not audit["tasks"]
            else "No task works on the raw features to begin with."
        )
        return f"{opening} {missing}"
    return f"{opening} The tasks keep {percent(kept)} of their quality."


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


def interval(found: dict[str, float | None], *, digits: int = 3) -> str:
    """A value with its interval, as in 0.62 [0.58, 0.66]; the interval is left out where it is unknown."""
    low, high = found["low"], found["high"]
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return f"{found['value']:.{digits}f}"
    return f"{found['value']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
