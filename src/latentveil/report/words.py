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
