"""Every number of TriDet, with the values of its THUMOS14 recipe as defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from latentveil.errors import InputError

UNLIMITED = 10_000.0  # the last level's longest reach, in clips


@dataclass(frozen=True)
class TriDetConfig:
    """Network, assignment, loss, recipe and inference of TriDet (Shi et al. 2023).

    Lengths on the grid are in clips. Three defaults differ from the released code, each for a reason:

    - ``released_padding = False``: padding is left out of every mean, pooling and norm, so that the detections of a
      video depend on that video alone. True computes them as released, padding included, at a length of
      ``max_clips``.
    - ``branch_init_std = 0.1`` (released for HACS; 0 for THUMOS14): each branch of an SGP block is a product of two
      maps. Where both start at zero, neither ever gets a gradient, and the block stays without its branches.
    - ``iou_weight_gradient = False``: the gradient through the IoU weight of the focal loss (True, as released) lowers
      the loss by predicting worse boundaries.

    ``normalisation`` says what the loss is divided by: "running" is one running mean of the number of positive points,
    as released; "counts" divides the terms of positive points by their number in the batch and those of the others by
    theirs, as Eq. 8 of SPLAVU is written (which also has ``iou_weight_power = 1``).

    ``regression`` is the loss of boundaries: "distance" (DIoU, as released) or "iou", as the text below Eq. 8 has it.
    ``resumes_schedule`` says how a head that comes trained goes on beside an adapter: at the end of its schedule, as in
    the public code of SPLAVU, which loads the schedule with the weights (the rate is then ``final_learning_rate``);
    else with a schedule anew.

    Where the epochs give fewer than ``min_steps`` steps, a whole multiple of them is trained.
    """

    # network
    width: int = 512
    mlp_width: int = 768
    norm_groups: int = 16
    embedding_layers: int = 2
    stem_blocks: int = 2
    num_levels: int = 6
    head_layers: int = 2
    kernel_size: int = 3
    window_kernel: int = 1
    window_ratio: float = 5.0
    num_bins: int = 16
    drop_path: float = 0.1
    branch_scale: float = 1e-4
    branch_init_std: float = 0.1
    class_prior: float = 0.01
    released_padding: bool = False

    # input
    clip_frames: int = 16
    single_clip_fps: float = 30.0
    max_clips: int = 2304
    input_noise: float = 5e-4
    crop_shortest: float = 0.9
    crop_keep: float = 0.5
    crop_tries: int = 200

    # assignment of points to segments
    finest_reach: float = 4.0
    centre_radius: float = 1.5

    # loss
    focal_alpha: float = 0.25
    focal_gamma: float = 2.0
    iou_weight_power: float = 0.2
    iou_weight_gradient: bool = False
    regression: Literal["distance", "iou"] = "distance"
    regression_weight: float = 1.0
    normalisation: Literal["running", "counts"] = "running"
    normaliser_start: float = 100.0
    normaliser_momentum: float = 0.9

    # recipe
    learning_rate: float = 1e-4
    final_learning_rate: float = 1e-8
    weight_decay: float = 0.025
    batch_size: int = 2
    warmup_epochs: int = 20
    cosine_epochs: int = 20
    min_steps: int = 0
    gradient_clip: float = 1.0
    ema_decay: float = 0.999
    resumes_schedule: bool = False

    # inference
    candidate_score: float = 0.001
    candidates_per_level: int = 2000
    shortest_segment: float = 0.05
    per_class_nms: bool = True
    nms_sigma: float = 0.5
    nms_min_score: float = 0.001
    max_segments: int = 2000
    voting_iou: float | None = 0.7
    thresholds: tuple[float, ...] = (0.3, 0.4, 0.5, 0.6, 0.7)

    def __post_init__(self) -> None:
        if self.width % self.norm_groups:
            raise InputError(
                f"width must be a multiple of norm_groups ({self.norm_groups}), got {self.width}."
            )
        if self.num_levels < 1:
            raise InputError(f"num_levels must be at least 1, got {self.num_levels}.")
        if self.window_kernel % 2 == 0:
            raise InputError(f"window_kernel must be odd, got {self.window_kernel}.")
        if not self.thresholds or not all(0 < threshold <= 1 for threshold in self.thresholds):
            raise InputError(f"thresholds must be one or more numbers in (0, 1], got {self.thresholds}.")

    @classmethod
    def small(cls) -> TriDetConfig:
        """Preset ``tridet-small``: for a few hundred short videos (10 to 200 clips each) and a CPU."""
        return cls(
            width=128,
            mlp_width=192,
            norm_groups=8,
            stem_blocks=1,
            num_levels=4,
            max_clips=256,
            branch_scale=0.1,
            learning_rate=1e-3,
            batch_size=8,
            warmup_epochs=5,
            cosine_epochs=20,
            min_steps=200,
            ema_decay=0.98,
            max_segments=200,
        )

    @classmethod
    def paper(cls) -> TriDetConfig:
        """With the loss as Eq. 8 of SPLAVU is written: divided by counts, weighted by the IoU itself."""
        return cls(normalisation="counts", iou_weight_power=1.0, regression="iou")

    @classmethod
    def released(cls) -> TriDetConfig:
        """As the public code of SPLAVU has it, padding, zero branches, gradient through the weight and all."""
        return cls(
            released_padding=True, branch_init_std=0.0, iou_weight_gradient=True, resumes_schedule=True
        )

    @property
    def strides(self) -> tuple[int, ...]:
        """The step of each level's points on the grid: 1, 2, 4, ..."""
        return tuple(2**level for level in range(self.num_levels))

    @property
    def reaches(self) -> tuple[tuple[float, float], ...]:
        """Per level, the smallest and largest distance from a point to a boundary: (0, 4), (4, 8), ..., (64, 10000)."""
        ends = [self.finest_reach * stride for stride in self.strides[:-1]]
        return tuple(zip([0.0, *ends], [*ends, UNLIMITED]))

    @property
    def length_multiple(self) -> int:
        """Every level has a whole number of points if the length of the input is a multiple of this."""
        return self.strides[-1]

    @property
    def wide_kernel(self) -> int:
        """The longer kernel of the window branch: round((w + 1) k), made odd."""
        return round((self.window_kernel + 1) * self.window_ratio) | 1

    @property
    def epochs(self) -> int:
        return self.warmup_epochs + self.cosine_epochs
