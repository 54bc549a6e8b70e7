"""For tasks that are known: rewrite every clip in the words of a codebook of typical moments, and say them in order.

The directions that tell the tasks' classes apart still carry some of the person: everybody signs, walks or falls in a
slightly different place of that space. A codebook takes this away: a clip becomes a soft mixture of prototypes that
many videos share, so what remains is which moments it resembles, not how exactly it differs from them. Classes that
nobody showed are mixtures of the same moments. A little noise, drawn once per video, covers what is left.
"""

from __future__ import annotations

import numpy as np
import torch
from pydantic import Field
from sklearn.cluster import KMeans
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import most_under_one_draw
from latentveil.adapters.codebook import CodebookNetwork, code_diameter
from latentveil.config import Settings
from latentveil.errors import UsageError
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.closed_form import random_basis
from latentveil.methods.discriminant import DirectionsSection, TaskDirections, choose_window, find_directions
from latentveil.methods.scatter import NUM_PHASES, within_classes
from latentveil.metrics.gaussian_mechanism import sigma_for_advantage
from latentveil.notices import notify
from latentveil.types import KINDS

MAX_CLIPS = 20_000  # more do not move the prototypes


class CodebookSection(DirectionsSection):
    """As for `discriminant`, with ``prototypes`` for each task and the ``softness`` of their mixture.

    ``certify`` takes the place of ``noise``: the noise is then as large as it takes to guarantee that nobody's gain
    over guessing at two equally likely answers about a video is larger (0.3: right 65 % of the time, not 50 %), where
    no more than one still and one view of it are published.
    """

    prototypes: int = Field(24, ge=1)
    softness: float = Field(0.15, gt=0)
    certify: float | None = Field(None, gt=0, lt=1)


class CodebookSettings(Settings):
    """The directions, the codebook and the noise."""

    erasure: CodebookSection = CodebookSection()


def fit(data: TrainingData, settings: CodebookSettings, **_: object) -> Adapter:
    """Cluster centres of the training clips in the directions that tell the tasks' classes apart.

    For each task there are ``erasure.prototypes`` centres and at most ``erasure.keep`` directions.
    ``erasure.softness`` is the temperature of the mixture, as a share of the clips' total variance in these directions:
    small values snap a clip to its nearest prototype, large ones blur all. ``erasure.noise`` is the noise's spread in
    units of what is left of the spread within a class; the window as in ``CodebookNetwork``.
    """
    erasure, dim = settings.erasure, data.features.dim
    window = choose_window(data.tasks, erasure)
    parts = CodebookNetwork.parts(NUM_PHASES, window)
    keep = max(1, min(erasure.keep * len(data.tasks), dim // parts))
    found = find_directions(data, erasure, keep=keep)
    places = torch.cat(
        [(stretch - found.mean) @ found.axes for task in found.examples for stretch, _ in task]
    )  # (N, k)
    prototypes = cluster_centres(places, erasure.prototypes * len(data.tasks), seed=settings.train.seed)
    directions = places.shape[1]
    adapter = Adapter(
        dim=dim,
        architecture="codebook",
        window=window,
        directions=directions,
        prototypes=len(prototypes),
        phases=NUM_PHASES,
        noise_rank=directions * parts,
        noise_per="video",
    )
    network = adapter.network
    assert isinstance(network, CodebookNetwork)
    network.axes.copy_(found.axes)
    network.offset.copy_(-(found.mean @ found.axes))
    network.prototypes.copy_(prototypes)
    network.temperature.fill_(erasure.softness * float(places.var(dim=0).sum()))
    network.basis.copy_(random_basis(dim, directions * parts, seed=settings.train.seed))
    if erasure.certify is None:
        noise = erasure.noise * spread_of_codes(network, found)
    else:
        noise = certified_noise(network, erasure.certify)
        _say_what_voids_it(most_under_one_draw(data.features))
    adapter.noise_factor.copy_(noise * network.basis)
    return adapter.eval()


def cluster_centres(places: Tensor, count: int, *, seed: int) -> Tensor:
    """The centres (M, k) of ``count`` clusters of ``places`` (N, k), or of fewer where there are few places."""
    random = np.random.default_rng(seed)
    chosen = places.numpy()
    if len(chosen) > MAX_CLIPS:
        chosen = chosen[random.choice(len(chosen), MAX_CLIPS, replace=False)]
    count = min(count, len(np.unique(chosen, axis=0)))
    return torch.as_tensor(KMeans(count, n_init=3, random_state=seed).fit(chosen).cluster_centers_)


def certified_noise(network: CodebookNetwork, advantage: float) -> float:
    """The noise that keeps every attacker's ``advantage``, of a video's clips and its stills together."""
    if network.window:
        raise UsageError(
            f"erasure.certify must be used where all clips of a video carry one description (erasure.window=0), got "
            f"a window of {network.window}: clips that differ under one draw of noise tell what it hides. Leave it out."
        )
    return sigma_for_advantage(code_diameter(network), advantage, num_releases=len(KINDS))


def _say_what_voids_it(most: int) -> None:
    if most > 1:
        notify(
            f"erasure.certify must be used where one still and one view of a video are published at most, got {most} "
            "in what is learned from: several differ in what one draw of noise does not hide, and then there is no "
            "bound. Publish the clips without stills, or with one still of each video."
        )


def spread_of_codes(network: CodebookNetwork, found: TaskDirections) -> float:
    """The typical spread of one number of a stretch's description within its class."""
    residuals = []
    for examples in found.examples:
        described, labels = zip(*((_describe(network, stretch), label) for stretch, label in examples))
        residuals.append(within_classes(torch.stack(described), torch.tensor(labels)))
    return float(torch.cat(residuals).square().mean().sqrt())


def _describe(network: CodebookNetwork, stretch: Tensor) -> Tensor:
    """The mean description (P k,) of the clips of a stretch (T, D)."""
    mask = torch.ones(1, len(stretch), dtype=torch.bool)
    return network.describe(stretch[None].float(), mask)[0].mean(dim=0)


def dials(with_motion: bool) -> Dials:
    return {"erasure.softness": (0.05, 0.15, 0.5), "erasure.noise": (0.25, 0.5, 1.0)}


method = Method(
    name="codebook",
    fit=fit,
    about="Every clip in the words of a codebook of typical moments, for tasks that are known.",
    Settings=CodebookSettings,
    dials=dials,
)
