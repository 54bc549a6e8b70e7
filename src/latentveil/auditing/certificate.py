"""The certificate of an audit: what the adapter's noise guarantees, and whether groups can be told in the release."""

from __future__ import annotations

import numpy as np
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import most_under_one_draw
from latentveil.adapters.codebook import CodebookNetwork, code_diameter
from latentveil.auditing.exchangeability import NUM_PERMUTATIONS, exchangeability_test, power_against_offset
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.auditing.sampling import sample_people
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.gaussian_mechanism import (
    accuracy_bound,
    advantage_bound,
    noise_ratio,
    true_positive_bound,
)
from latentveil.results.certificate import Certificate, Exchangeability, NoiseBound
from latentveil.types import FeatureSet

# Where everybody shows the same actions, groups are permuted within this column.
STRATA = "action"
MAX_TESTED_VIDEOS = 1000
PLANTED_SIZES = (0.1, 0.3)
# A bound that allows a gain of this much over guessing says nothing.
VACUOUS = 0.99
# What the noise leaves uncovered of a code, as a share, is rounding below this.
UNCOVERED = 1e-4


def certify(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    kind: str,
    adapter: Adapter | None = None,
    seed: int = 0,
) -> Certificate:
    """All that can be said of the release beyond attacks; ``adapter`` is the one that made ``anonymized``."""
    bound, why_no_bound = bound_of(adapter, anonymized, labels)
    tests: list[Exchangeability] = []
    why_not_tested = "the labels name nobody"
    if labels.person is not None and (labels.person != "").any():
        chosen, _ = sample_people(labels, limit=MAX_TESTED_VIDEOS, seed=seed)
        videos = PeopleVideos.gather(raw, anonymized, chosen, kind=kind)
        sorts = {"person": videos.person} | (
            {} if videos.recording is None else {"recording": videos.recording}
        )
        strata = _strata(chosen, videos.video)
        reasons = []
        for name, groups in sorts.items():
            try:
                tests.append(_test(videos.anonymized, groups, name, strata, seed))
            except InputError as error:
                reasons.append(f"by {name}, {str(error).rstrip('.')}")
        why_not_tested = "; ".join(reasons)
    return Certificate(bound, why_no_bound, tests, why_not_tested)


def bound_of(adapter: Adapter | None, features: FeatureSet, labels: Labels) -> tuple[NoiseBound | None, str]:
    """The bound of the Gaussian mechanism for an adapter's codes, or None and why there is none."""
    if adapter is None:
        return None, "the adapter was not given"
    network = adapter.network
    if not isinstance(network, CodebookNetwork):
        return None, "only a codebook gives codes that cannot lie farther apart than is known"
    if adapter.config["noise_per"] != "video" or not adapter.draws_noise:
        return None, "the adapter draws no noise per video"
    if network.window:
        return (
            None,
            "clips of one video carry codes of their own under one draw of noise, so they tell its rest",
        )
    if most_under_one_draw(features) > 1:
        return (
            None,
            "several stills or views of one video carry codes of their own under one draw of noise, so how they differ "
            "shows none of it (one still of each video, or clips alone, would have a bound)",
        )
    noise = adapter.noise_factor.double()  # (D, R)
    to_noise = torch.linalg.pinv(noise) @ network.basis.double()  # (R, P k)
    rest = torch.linalg.norm(network.basis.double() - noise @ to_noise) / torch.linalg.norm(network.basis)
    if float(rest) > UNCOVERED:
        return None, "some directions of the codes get no noise"
    diameter = code_diameter(network) * float(torch.linalg.matrix_norm(to_noise, ord=2))
    num_releases = len(np.unique(features.kind))
    mu = noise_ratio(diameter, 1.0, num_releases=num_releases)
    num_people = None if labels.person is None else len(set(labels.person.tolist()) - {""})
    advantage = advantage_bound(mu)
    return NoiseBound(
        mu=mu,
        advantage=advantage,
        accuracy=accuracy_bound(mu, guess=0.5),
        true_accept_at_1_percent=true_positive_bound(mu, false_positive_rate=0.01),
        is_vacuous=advantage >= VACUOUS,
        num_people=num_people,
        identity=accuracy_bound(mu, guess=1 / num_people) if num_people and num_people > 1 else None,
        conditions=_conditions(num_releases),
    ), ""


def _conditions(num_releases: int) -> list[str]:
    conditions = [
        "one video of a person is published, once: with n videos of one person, mu grows with the root of n",
        "the noise was drawn without a seed (there are few enough to try them all)",
        "whatever else is published with the features (names, times, lengths) tells nothing",
    ]
    if num_releases > 1:
        conditions.append(
            "clips and stills of a video are both published, each with noise of their own (counted here)"
        )
    return conditions


def _strata(labels: Labels, video: np.ndarray) -> np.ndarray | None:
    if STRATA not in labels.columns:
        return None
    values = labels.lookup(STRATA, video)
    return values if len(np.unique(values)) > 1 else None


def _test(
    feature: np.ndarray, groups: np.ndarray, name: str, strata: np.ndarray | None, seed: int
) -> Exchangeability:
    known = groups != ""
    feature, groups = feature[known], groups[known]
    within = None if strata is None else strata[known]
    found = exchangeability_test(feature, groups, strata=within, seed=seed)
    return Exchangeability(
        groups=name,
        within="" if within is None else STRATA,
        num_groups=len(np.unique(groups)),
        num_videos=len(groups),
        num_permutations=NUM_PERMUTATIONS,
        p_value=found.p_value,
        learner=found.learner,
        scores=found.scores,
        power={
            f"{size:g}": power_against_offset(feature, groups, size=size, strata=within, seed=seed)
            for size in PLANTED_SIZES
        },
    )
