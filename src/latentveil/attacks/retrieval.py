"""The retrieval attack: the answer of the most similar known clip by cosine, without any training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.blocks import in_blocks
from latentveil.attacks.preprocess import Transform
from latentveil.attacks.selection import Logits, Setting, fit_best, spread_logits

# Cosines differ by hundredths where probabilities should differ by much.
SIMILARITY_SCALE = 100.0


@dataclass(frozen=True, kw_only=True)
class Retrieval(Attack):
    """Each class is as likely as its most similar gallery item; with identity as the secret this is retrieval top-1."""

    about = "The answer of the most similar known clip by cosine, as in search by example."

    name: str = "retrieval"
    # "plain" is the papers' protocol; the others take away what all features share before they are compared.
    preprocessings: tuple[str, ...] = ("plain", "none", "standardise", "whiten")
    whitened_dimensions: int = 64

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        def candidates() -> Iterator[tuple[Setting, Logits]]:
            for name in self.preprocessings:
                yield {"preprocessing": name}, refit({"preprocessing": name}, knowledge.train)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            transform = self._transform(setting["preprocessing"], data)
            return _gallery_logits(data, transform, num_classes=knowledge.num_classes)

        return fit_best(candidates(), knowledge, refit=refit)

    def _transform(self, preprocessing: str, data: LabelledFeatures) -> Transform:
        if preprocessing == "plain":
            return lambda other: other
        return data.preprocessing(preprocessing, max_components=self.whitened_dimensions)


attack = Retrieval()


def cosine_similarity(probe: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Cosines (P, G) between probes (P, D) and gallery items (G, D); a zero vector is similar to nothing."""
    unit_probe, unit_gallery = (
        rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) for rows in (probe, gallery)
    )
    return unit_probe @ unit_gallery.T


def retrieval_hits(
    similarity: np.ndarray,
    gallery_person: np.ndarray,
    probe_person: np.ndarray,
    *,
    excluded: np.ndarray | None = None,
) -> np.ndarray:
    """Whether each probe's most similar gallery item is of the same person, (P,) bool; its mean is the top-1 rate.

    Shapes: ``similarity`` (P, G), ``excluded`` (P, G) True where a pair must not be compared (the same view, say).
    """
    if excluded is not None:
        similarity = np.where(excluded, -np.inf, similarity)
    nearest = similarity.argmax(axis=1)
    answerable = np.isfinite(similarity.max(axis=1))
    return (gallery_person[nearest] == probe_person) & answerable


def _gallery_logits(data: LabelledFeatures, transform: Transform, *, num_classes: int) -> Logits:
    gallery = transform(data.feature)
    classes = np.unique(data.target)

    def logits(feature: np.ndarray) -> np.ndarray:
        similarity = SIMILARITY_SCALE * cosine_similarity(transform(feature), gallery)  # (N, G)
        best = np.stack([similarity[:, data.target == c].max(axis=1) for c in classes], axis=1)  # (N, K)
        return spread_logits(best, classes, num_classes)

    return in_blocks(logits, num_known=len(gallery))
