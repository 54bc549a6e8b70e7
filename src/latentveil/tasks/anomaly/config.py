"""The settings of the anomaly detectors, with the published values as defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True)
class LossWeights:
    """The weights of MGFN's loss terms beside the classification, and which videos a term looks at.

    ``sparsity_order`` is that of the norm of scores: 2, or 1 for their sum. The magnitudes are compared row by row
    (``halves`` of a class with each other) as in the code, or over ``all`` pairs as Eq. 13 of SPLAVU is written.
    """

    smoothness: float
    sparsity: float
    magnitude: float
    between: float
    smooth_videos: Literal["all", "anomalous"]
    sparse_videos: Literal["normal", "anomalous"]
    sparsity_order: int
    magnitude_pairs: Literal["halves", "all"] = "halves"

    @classmethod
    def code(cls) -> LossWeights:
        """What the public code does: sparsity is a Euclidean norm, and of the normal half, not of the anomalous one."""
        return cls(8e-4, 8e-3, 1e-3, 1e-3, smooth_videos="all", sparse_videos="normal", sparsity_order=2)

    @classmethod
    def released(cls) -> LossWeights:
        """What the public code of SPLAVU does: as MGFN's, but both terms look at the anomalous half."""
        return replace(cls.code(), smooth_videos="anomalous", sparse_videos="anomalous")

    @classmethod
    def paper(cls) -> LossWeights:
        """What the paper writes (Eq. 9-13): lambda_1 = lambda_2 = 1 on sums over anomalous videos, lambda_3 = 0.001."""
        return cls(
            1.0, 1.0, 1e-3, 1.0, smooth_videos="anomalous", sparse_videos="anomalous", sparsity_order=1,
            magnitude_pairs="all",
        )  # fmt: skip


@dataclass(frozen=True)
class DetectorConfig:
    """What every detector needs to be trained: ``batch_videos`` are half normal and half anomalous.

    Videos of more than ``max_clips`` clips are thinned to that many in training; a video's score is the mean of its
    ``top_k`` segments. The last clip of a video answers for ``clip_frames`` frames, every other for those up to the
    next clip. With ``pool_first`` training videos are pooled to segments before an adapter sees them, as in the public
    code of SPLAVU; else afterwards. ``decoupled_decay`` is AdamW instead of Adam.
    """

    num_segments: int = 32
    top_k: int = 3
    batch_videos: int = 32
    epochs: int = 1000
    learning_rate: float = 1e-3
    weight_decay: float = 5e-4
    max_clips: int = 512
    clip_frames: int = 16
    pool_first: bool = False
    decoupled_decay: bool = False


@dataclass(frozen=True)
class MGFNConfig(DetectorConfig):
    """The network and loss of MGFN.

    With ``standardize`` the training features come to have an average variance of one, whatever the encoder's units;
    without it they are taken as they are.
    """

    dims: tuple[int, ...] = (64, 128, 1024)
    depths: tuple[int, ...] = (3, 3, 2)
    kinds: tuple[Literal["glance", "focus"], ...] = ("glance", "focus", "focus")
    head_dim: int = 64
    expansion: int = 4
    focus_kernel: int = 5
    magnitude_ratio: float = 0.1
    selection_dropout: float = 0.7
    margin: float = 200.0
    standardize: bool = False
    weights: LossWeights = field(default_factory=LossWeights.code)

    @classmethod
    def small(cls) -> MGFNConfig:
        """For short videos and a CPU; the margin shrinks with the width, because L1 norms grow with it.

        Features of other encoders, and those behind adapters, come in other sizes, and a few hundred steps do not make
        up for it: standardized, they did better on validation videos of `actors` and of UR Fall Detection. The learning
        rate is lower than the published 1e-3, at which the loss of so small a set jumps after some 40 steps.
        """
        return cls(
            dims=(32, 64, 128),
            depths=(1, 1, 1),
            head_dim=32,
            margin=25.0,
            standardize=True,
            epochs=40,
            learning_rate=3e-4,
        )


@dataclass(frozen=True)
class SultaniConfig(DetectorConfig):
    """Three linear layers and a ranking loss (Sultani et al., CVPR 2018)."""

    hidden: tuple[int, ...] = (512, 32)
    dropout: float = 0.6
    smoothness: float = 8e-5
    sparsity: float = 8e-5
    top_k: int = 1
    epochs: int = 60
