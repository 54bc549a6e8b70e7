"""What no attacker can exceed where bounded codes are published with Gaussian noise, and the noise for a wanted bound.

The Gaussian mechanism (Dong, Roth and Su, "Gaussian differential privacy"): codes at most ``diameter`` apart, noise of
standard deviation sigma in every direction, mu = diameter / sigma. Whatever test tells two of them apart with a false
positive rate a has a true positive rate of at most Phi(Phi^-1(a) + mu). The bounds hold for mixtures of codes too, so
for every attribute of a video, and for attackers who know everything but the noise.
"""

from __future__ import annotations

import math

from scipy.special import ndtr, ndtri

from latentveil.errors import InputError

# Codes at most a diameter apart lie in a ball whose radius is at most this share of it (Jung), however many dimensions.
RADIUS_OF_DIAMETER = math.sqrt(0.5)


def noise_ratio(diameter: float, sigma: float, *, num_releases: int = 1) -> float:
    """mu of ``num_releases`` noisy copies of one code (clips and stills of one video are two): they add up."""
    if diameter < 0 or sigma < 0 or num_releases < 1:
        raise InputError(
            "diameter and sigma must not be negative and num_releases at least 1, got "
            f"{diameter}, {sigma} and {num_releases}."
        )
    if diameter == 0:
        return 0.0
    return math.inf if sigma == 0 else diameter / sigma * math.sqrt(num_releases)


def advantage_bound(mu: float) -> float:
    """The largest gain over guessing at two equally likely answers, from 0 to 1: the total variation distance."""
    return float(2 * ndtr(mu / 2) - 1)


def accuracy_bound(mu: float, *, guess: float) -> float:
    """The largest share of right answers where guessing reaches ``guess`` (1 / people, or the share of a class).

    For hypotheses in a ball around one code, the accuracy is a mean of true positive rates against that code, at false
    positive rates whose mean is ``guess``; the trade-off is concave. For guess = 1/2 the pair bound is never worse.
    """
    if not 0 < guess < 1:
        raise InputError(f"guess must lie between 0 and 1, got {guess}.")
    found = float(ndtr(ndtri(guess) + mu * RADIUS_OF_DIAMETER))
    return min(found, (1 + advantage_bound(mu)) / 2) if guess == 0.5 else found


def true_positive_bound(mu: float, *, false_positive_rate: float) -> float:
    """The largest true positive rate of any test between two codes at this false positive rate."""
    if not 0 < false_positive_rate < 1:
        raise InputError(f"false_positive_rate must lie between 0 and 1, got {false_positive_rate}.")
    return float(ndtr(ndtri(false_positive_rate) + mu))


def sigma_for_advantage(diameter: float, advantage: float, *, num_releases: int = 1) -> float:
    """The least noise that keeps ``advantage_bound`` at ``advantage`` or below."""
    if not 0 < advantage < 1:
        raise InputError(
            f"advantage must lie between 0 and 1, got {advantage}. 0.3 allows 65 % instead of 50 %."
        )
    return diameter * math.sqrt(num_releases) / (2 * float(ndtri((1 + advantage) / 2)))
