"""A codebook of typical moments: each clip becomes a soft mixture of a few prototypes that many videos share."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.affine import WindowOptions, require_window, windowed_mean
from latentveil.adapters.network import Network
from latentveil.errors import InputError
from latentveil.sequences import phase_means


class CodebookOptions(WindowOptions):
    """How many ``directions`` and ``prototypes`` there are, and in how many ``phases`` a whole video is described."""

    directions: int = Field(0, le=1 << 20)
    prototypes: int = Field(0, le=1 << 20)
    phases: int = Field(3, le=1 << 10)


class CodebookNetwork(nn.Module):
    """Clips (B, T, D) -> codes (B, T, D) that lie where the prototypes are, not where the person's clips were.

    A clip's coordinates z = A'x + a (k of them) are replaced by the mean of the prototypes p, each weighted by
    softmax(-|z - p|^2 / temperature). With ``window`` = 0 a video is described by the mean code of each of its
    ``phases`` equal parts, one after the other, and all of its clips carry that description; otherwise each clip
    carries the mean code of the ``window`` clips around it. The orthonormal ``basis`` puts the numbers among the D
    dimensions. Everything is a buffer: computed, not trained.
    """

    axes: Tensor
    offset: Tensor
    prototypes: Tensor
    temperature: Tensor
    basis: Tensor

    def __init__(
        self, dim: int, *, directions: int, prototypes: int, phases: int = 3, window: int = 0
    ) -> None:
        super().__init__()
        require_window(window)
        if min(directions, prototypes, phases) < 1 or directions * self.parts(phases, window) > dim:
            raise InputError(
                f"directions, prototypes and phases must be at least 1 and their codes must fit into {dim} "
                f"dimensions, got {directions}, {prototypes} and {phases}. Keep fewer directions."
            )
        self.window = window
        self.phases = phases
        self.register_buffer("axes", torch.zeros(dim, directions))  # A (D, k)
        self.register_buffer("offset", torch.zeros(directions))  # a (k,)
        self.register_buffer("prototypes", torch.zeros(prototypes, directions))  # (M, k)
        self.register_buffer("temperature", torch.ones(()))
        self.register_buffer("basis", torch.eye(dim, directions * self.parts(phases, window)))  # (D, P k)

    @staticmethod
    def parts(phases: int, window: int) -> int:
        """How many codes describe a clip: one per phase of its video, or its own."""
        return 1 if window else phases

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        return self.describe(features, mask) @ self.basis.T  # (B, T, D)

    def describe(self, features: Tensor, mask: Tensor) -> Tensor:
        """The numbers behind the output, (B, T, P k)."""
        codes = self.encode(features)  # (B, T, k)
        if self.window:
            return windowed_mean(codes, mask, self.window)
        phases = phase_means(codes, mask, self.phases).flatten(1)  # (B, P k)
        return phases[:, None].expand(-1, features.shape[1], -1)

    def encode(self, features: Tensor) -> Tensor:
        """Soft mixtures of prototypes, (..., D) -> (..., k)."""
        places = features @ self.axes + self.offset  # (..., k)
        # |z|^2 is the same for every prototype of a clip, and the softmax does not see it
        closeness = 2 * places @ self.prototypes.T - self.prototypes.square().sum(dim=1)  # (..., M)
        return (closeness / self.temperature).softmax(dim=-1) @ self.prototypes


def code_diameter(network: CodebookNetwork) -> float:
    """How far the descriptions of two videos can lie apart: every phase is a mixture of prototypes."""
    prototypes = network.prototypes.double()
    widest = float(torch.cdist(prototypes, prototypes, compute_mode="donot_use_mm_for_euclid_dist").max())
    return widest * math.sqrt(network.parts(network.phases, network.window))


def describe(options: CodebookOptions) -> str:
    return f"codebook of {options.prototypes} prototypes in {options.directions} directions, in closed form"


network = Network(
    name="codebook",
    build=lambda dim, options: CodebookNetwork(dim, **options.model_dump()),
    describe=describe,
    about="Each clip as a soft mixture of prototypes, in closed form.",
    Options=CodebookOptions,
)
