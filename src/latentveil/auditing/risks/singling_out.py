"""Singling out: whether a video can be given the name of one of several people, some of whose videos are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.auditing.risks.alignment import (
    AS_IS,
    AVERAGED,
    SPREAD,
    Aligned,
    Stores,
    by_recording,
    coordinates,
)
from latentveil.auditing.risks.closed_set import best_attacker, margins, sure_from
from latentveil.auditing.risks.recordings import apart_from_known
from latentveil.auditing.risks.roles import Roles, deal_roles
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, interval_over_groups, mean_of
from latentveil.progress import OnProgress, Progress, silent
from latentveil.results.risks import KnownVideos, SinglingOut
from latentveil.types import FeatureSet

# How many videos of each person are known; None stands for all that are neither chosen on nor asked about.
KNOWN_VIDEOS = (1, 2, 5, None)
NUM_DRAWS = 5


def measure_singling_out(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    kind: str,
    known_videos: Sequence[int | None] = KNOWN_VIDEOS,
    num_draws: int = NUM_DRAWS,
    remade: Sequence[FeatureSet] = (),
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> SinglingOut:
    """Name the people of ``labels`` in raw and in anonymized videos, by how many of their videos are known.

    Who takes part is told by ``roles.deal_roles``. Every person counts the same, so guessing reaches 1 / people. All
    numbers are means over draws of the known videos; where somebody has fewer than asked for, all of theirs are known.
    ``remade`` are the raw videos as an attacker anonymizes them who holds these and the adapter: of a random release,
    the known videos are averaged over these draws, too.
    """
    videos = PeopleVideos.gather(raw, anonymized, labels, kind=kind, remade=remade)
    roles = deal_roles(videos, seed=seed)
    here = roles.takes_part
    recording = None if videos.recording is None else videos.recording[here]
    places = apart_from_known(recording, videos.person[here], roles.asked)
    draws = [copy[here] for copy in videos.remade]
    stores = {
        "raw": _ways(videos.raw[here], places=places),
        "anonymized": _ways(videos.anonymized[here], draws, places=places),
    }
    for name in stores.keys() & videos.spreads.keys():
        spread = videos.spreads[name][0][here]
        stores[name].add(Aligned(SPREAD, spread, spread))
    curves: dict[str, list[KnownVideos]] = {}
    steps = [(name, known) for name in ("raw", "anonymized") for known in known_videos]
    for number, (name, known) in enumerate(steps):
        amount = "all" if known is None else str(known)
        on_progress(Progress("singling out", number, len(steps), f"{name}, {amount} known"))
        point = _measure_point(stores[name], roles, known, num_draws=num_draws, seed=seed)
        curves.setdefault(name, []).append(point)
    on_progress(Progress("singling out", len(steps), len(steps)))
    num_people = len(roles.people)
    return SinglingOut(
        num_people=num_people,
        num_videos=int(roles.asked.sum()),
        num_draws=num_draws,
        chance=1 / num_people,
        raw=tuple(curves["raw"]),
        anonymized=tuple(curves["anonymized"]),
    )


@dataclass(frozen=True, eq=False)
class _Ways:
    """Ways to look at videos ``as_is``; with recordings ``centred``, where others are asked about than known."""

    as_is: list[Aligned]
    centred: list[Aligned]

    def add(self, spread: Aligned) -> None:
        """How far clips lie apart: what is the same all day does not move it, so it stays as it is."""
        self.as_is.append(spread)
        if self.centred:
            self.centred.append(spread)


def _ways(
    published: np.ndarray, remade: Sequence[np.ndarray] = (), *, places: np.ndarray | None = None
) -> _Ways:
    """The ways to look at published videos (N, D): by themselves, and beside draws of them that are averaged.

    ``places`` (N,) are the recordings to centre, if any.
    """
    rotated, *draws = coordinates(published, *remade)
    stores = [Stores(rotated, rotated, True, places)]
    as_is = [Aligned(AS_IS, rotated, rotated)]
    if len(draws) > 1:
        averaged = np.mean(draws, axis=0)
        stores.append(Stores(rotated, averaged, True, places))
        as_is.append(Aligned(AVERAGED, rotated, averaged, tuple(draws)))
    return _Ways(as_is, [] if places is None else [way for one in stores for way in by_recording(one)])


def _measure_point(ways: _Ways, roles: Roles, known: int | None, *, num_draws: int, seed: int) -> KnownVideos:
    """One point of the curve: the videos under attack, ``known`` of each person's videos being known."""
    right, singled_out, attacks = [], [], []
    claims = right_claims = 0
    for draw in range(num_draws if known is not None else 1):
        known_rows = roles.draw_known(known, np.random.default_rng([seed, draw]))
        name, scores = best_attacker(ways.as_is, roles, known_rows, centred=ways.centred)
        attacks.append(name)
        answers = scores[roles.asked]
        hit = answers.argmax(axis=1) == roles.person[roles.asked]
        threshold = sure_from(scores[roles.chosen_on], roles.person[roles.chosen_on])
        sure = margins(answers) >= threshold
        claims, right_claims = claims + int(sure.sum()), right_claims + int((sure & hit).sum())
        number = np.bincount(roles.person[roles.asked])
        right.append(np.bincount(roles.person[roles.asked], hit) / number)
        singled_out.append(np.bincount(roles.person[roles.asked], sure & hit) > 0)
    return KnownVideos(
        known=known,
        attacks=tuple(attacks),
        top1=interval_over_groups(mean_of(np.mean(right, axis=0)), roles.people, seed=seed, limits=SHARE),
        singled_out=interval_over_groups(
            mean_of(np.mean(singled_out, axis=0)), roles.people, seed=seed, limits=SHARE
        ),
        precision=right_claims / claims if claims else None,
    )
