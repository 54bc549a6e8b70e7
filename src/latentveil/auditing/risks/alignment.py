"""Ways to bring two stores, or several recordings, into one space before videos are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latentveil.attacks.preprocess import PrincipalAxes, principal_axes
from latentveil.auditing.risks.recordings import ChangeByHeld, each_changed

# Rows (N, K) -> rows (N, K').
Change = Callable[[np.ndarray], np.ndarray]

# Features are rotated to at most this many directions, which bounds the time of every fit.
MAX_DIMENSIONS = 1024
# Share of the mean variance that is mixed into a covariance before its root is taken.
COVARIANCE_SHRINKAGE = 0.1
# Penalties of the way back to raw features, as shares of the mean variance.
RIDGE_PENALTIES = (1e-3, 0.1)
# A store whose features differ by less than this share of their size is constant but for rounding.
ROUNDING = 1e-6
# The raw videos that an attacker holds, anonymized by the attacker, draws averaged.
AVERAGED = "through the adapter"
# The published videos, by what they show on average, and by how far their clips lie apart.
AS_IS, SPREAD = "as is", "spread of clips"


@dataclass(frozen=True, eq=False)
class Stores:
    """Two stores of the same videos: ``probe`` (V, K) and ``gallery`` (V, K'), one and the same where both are equal.

    ``comparable`` says whether their dimensions mean the same. ``recording`` (V,) is None where it is not known, and
    blank for videos that are of none, or of one that shows nobody else (``shared_recordings``).
    ``raw`` (V, K'') is there for an attacker who can make pairs with the adapter, from other people's videos.
    ``remade`` (V, K) are the raw videos as that attacker anonymizes them, draw by draw, in the space of the probe.
    ``held`` (V,) are the videos of the gallery that the attacker has, None for all: nothing is learned from others.
    ``spreads`` (V, K) tell of probe and gallery how far the clips of each video lie apart, None where they do not.
    """

    probe: np.ndarray
    gallery: np.ndarray
    comparable: bool
    recording: np.ndarray | None = None
    raw: np.ndarray | None = None
    remade: tuple[np.ndarray, ...] = ()
    held: np.ndarray | None = None
    spreads: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def draws(self) -> tuple[np.ndarray, ...]:
        """The remade videos where they differ from draw to draw; none where there is one only."""
        return self.remade if len(self.remade) > 1 else ()

    @property
    def is_one(self) -> bool:
        return self.probe is self.gallery

    @cached_property
    def aligned_unseen(self) -> list[Aligned]:
        """The alignments that learn from nobody's label, made once: they are the same whoever is known."""
        found = []
        if self.remade and not self.is_one:
            found.append(Aligned(AVERAGED, self.probe, np.mean(self.remade, axis=0), self.draws, self.held))
        if self.spreads is not None:
            found.append(Aligned(SPREAD, *self.spreads, held=self.held))
        if not self.comparable:
            return found
        draws = self.draws if self.is_one else ()
        found.append(Aligned(AS_IS, self.probe, self.gallery, draws, self.held))
        if self.recording is not None and len(np.unique(self.recording)) > 1:
            found += by_recording(self)
        if not self.is_one:
            recoloured = recolour(self.probe, of_held(self.gallery, self.held))
            found.append(Aligned("moments", recoloured, centred(self.gallery, self.held), held=self.held))
        return found


@dataclass(frozen=True, eq=False)
class Aligned:
    """Both stores in one space: ``probe`` and ``gallery`` (V, K), and further ``draws`` (V, K) of the probe, if any.

    ``held`` (V,) are the videos of the gallery that may be learned from, None for all.
    """

    name: str
    probe: np.ndarray
    gallery: np.ndarray
    draws: tuple[np.ndarray, ...] = ()
    held: np.ndarray | None = None

    @property
    def is_one(self) -> bool:
        return self.probe is self.gallery

    @cached_property
    def centred(self) -> list[np.ndarray]:
        """Each store (V, K) less its own mean; one where both are the same."""
        probe = centred(self.probe)
        return [probe] if self.is_one else [probe, centred(self.gallery, self.held)]

    @cached_property
    def principal(self) -> PrincipalAxes:
        """The directions in which all centred videos vary that the attacker has."""
        probe, *gallery = self.centred
        return principal_axes(np.concatenate([probe, *(of_held(store, self.held) for store in gallery)]))


def align(stores: Stores, known: np.ndarray) -> Iterator[Aligned]:
    """Every way that the attacker has; ``known`` (V,) are the videos of people whom it may learn pairs from."""
    yield from stores.aligned_unseen
    if stores.raw is None:
        return
    pairs = Pairs.of(stores, known)
    if not stores.is_one:
        turned = procrustes(stores.probe, pairs)
        yield Aligned("procrustes", turned, stores.gallery, held=stores.held)
    for penalty in RIDGE_PENALTIES:
        mapped = ridge(stores.probe, pairs, penalty=penalty)
        gallery = mapped if stores.is_one else stores.gallery
        yield Aligned(f"way back {penalty:g}", mapped, gallery, held=stores.held)


def coordinates(*stores: np.ndarray) -> list[np.ndarray]:
    """Stores (V, D) of one space, rotated alike to at most ``MAX_DIMENSIONS`` directions that hold most of them."""
    stacked = np.concatenate(stores).astype(np.float64)
    if stacked.shape[1] <= MAX_DIMENSIONS and len(stacked) >= stacked.shape[1]:
        return [store.astype(np.float64) for store in stores]
    axes = principal_axes(stacked).axes[:, :MAX_DIMENSIONS]  # not centred: the mean is kept
    return [store.astype(np.float64) @ axes for store in stores]


def by_recording(stores: Stores) -> list[Aligned]:
    """The alignments that take away what the videos of each recording share."""
    return [
        _by_recording("recordings centred", stores, centred),
        _by_recording("recordings whitened", stores, whitened),
    ]


def of_held(feature: np.ndarray, held: np.ndarray | None) -> np.ndarray:
    """The rows of ``feature`` (N, K) that the attacker has."""
    return feature if held is None else feature[held]


def centred(feature: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """Features (N, K) less the mean of the held ones; zeros where they are constant but for rounding."""
    mean = of_held(feature, held).mean(axis=0)
    rest = feature - mean
    if np.abs(rest).max(initial=0.0) <= ROUNDING * np.abs(mean).max(initial=0.0):
        return np.zeros_like(feature)
    return rest


def recolour(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """CORAL: the source (N, K), centred, whitened, and given the covariance of the target (M, K)."""
    return covariance_power(centred(target), 0.5)(whitened(source))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Videos on both sides of the adapter, row by row: ``source`` (N, K) and ``target`` (N, K'), and their means."""

    source: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, stores: Stores, known: np.ndarray) -> Pairs:
        """The known videos (V,), as published and in every draw that the attacker made of them."""
        assert stores.raw is not None
        sources = [source[known] for source in (stores.probe, *stores.draws)]
        return cls(np.concatenate(sources), np.tile(stores.raw[known], (len(sources), 1)))

    @cached_property
    def means(self) -> tuple[np.ndarray, np.ndarray]:
        return self.source.mean(axis=0), self.target.mean(axis=0)


def procrustes(source: np.ndarray, pairs: Pairs) -> np.ndarray:
    """The source (V, K) moved and turned into the space of the target (V, K'), as the pairs ask for."""
    mean, target_mean = pairs.means
    left, _, right = np.linalg.svd(
        (pairs.source - mean).T @ (pairs.target - target_mean), full_matrices=False
    )
    return (source - mean) @ left @ right + target_mean


def ridge(source: np.ndarray, pairs: Pairs, *, penalty: float) -> np.ndarray:
    """The target (V, K') guessed from the source (V, K) by ridge regression on the pairs."""
    mean, target_mean = pairs.means
    known = pairs.source - mean
    covariance = known.T @ known / len(known)
    covariance[np.diag_indices_from(covariance)] += penalty * max(
        np.trace(covariance) / len(covariance), 1e-30
    )
    weight = np.linalg.solve(covariance, known.T @ (pairs.target - target_mean) / len(known))  # (K, K')
    return (source - mean) @ weight + target_mean


def covariance_power(rows: np.ndarray, power: float) -> Change:
    """Multiplication of rows (N, K) by a power of the shrunk covariance of centred ``rows`` (M, K).

    Rows that are all zero have no covariance, and then nothing is changed.
    """
    if not rows.any():
        return lambda other: other
    principal = principal_axes(rows)
    rest = COVARIANCE_SHRINKAGE * principal.variance.sum() / rows.shape[1]
    along = ((1 - COVARIANCE_SHRINKAGE) * principal.variance + rest) ** power
    across = rest**power
    axes = principal.axes
    return lambda other: (other @ axes * (along - across)) @ axes.T + across * other


def _by_recording(name: str, stores: Stores, change: ChangeByHeld) -> Aligned:
    """Each recording changed by itself, in either store; one of which the attacker has no video becomes zeros."""
    assert stores.recording is not None
    probe = each_changed(stores.probe, stores.recording, change)
    if stores.is_one:
        return Aligned(name, probe, probe, held=stores.held)
    gallery = each_changed(stores.gallery, stores.recording, change, held=stores.held)
    return Aligned(name, probe, gallery, held=stores.held)


def whitened(feature: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """Features (N, K) of which the held ones have mean 0 and, but for shrinkage, covariance 1."""
    rest = centred(feature, held)
    return covariance_power(of_held(rest, held), -0.5)(rest)
