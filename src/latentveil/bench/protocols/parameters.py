"""How much is trained (the paper's Table 13): counted from the networks themselves, without data or weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import nn

from latentveil.adapters.adapter import Adapter
from latentveil.bench.protocols.base import Arena, BenchProtocol, entry_of
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Score
from latentveil.encoders.i3d import InceptionI3d
from latentveil.encoders.vit import TransformerShape, VideoTransformer
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.methods.players import build_adapter
from latentveil.methods.settings import TrainedSettings
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.learning.observers import build_branch
from latentveil.pixels.learning.settings import LearnedSettings, SelfSupervisedSettings
from latentveil.pixels.networks.base import ANONYMIZER_NETWORKS
from latentveil.types import FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

MILLION = 1e6
COUNTED = "counted from the network"
PIXEL_LEVEL = "pixel level, millions"


class EncoderShape(Strict):
    """An encoder f_E, which a pixel-level system trains as its f_T: I3D, or a video transformer of this shape."""

    dim: int
    depth: int = 0
    heads: int = 1
    mlp: int = 0
    patch: int = 16
    pooling: str = "mean"
    classes: int = 0

    def build(self) -> nn.Module:
        """The network without weights, with a last layer where ``classes`` are given."""
        trunk: nn.Module
        if self.depth:
            shape = TransformerShape(
                self.dim, self.depth, self.heads, self.mlp, self.patch, pooling=self.pooling
            )
            trunk = VideoTransformer(shape)
        else:
            trunk = InceptionI3d()
            trunk.Logits = nn.Sequential()
        return nn.Sequential(trunk, nn.Linear(self.dim, self.classes)) if self.classes else trunk


class ParameterOptions(Strict):
    """The encoders by name, which the names of rows begin with, and the pixel-level method to compare with."""

    encoders: dict[str, EncoderShape]
    pixel_method: str = "spact"


@dataclass(frozen=True, eq=False)
class ParameterArena(Arena):
    """No data at all."""

    options: ParameterOptions
    seed: int = 0
    features: FeatureSet = field(default_factory=lambda: nothing())
    labels: Labels = field(default_factory=lambda: Labels(np.array([]), np.array([])))

    @property
    def cut(self) -> dict[str, Any]:
        return {}

    def training_labels(self) -> Labels:
        return self.labels

    def fit(self, row: Row, *, folder: Path | None = None) -> Adapter:
        """The row's adapter as it is before training, of parameters without values."""
        settings = row.config(seed=self.seed).settings
        if not isinstance(settings, TrainedSettings):
            raise InputError(f"rows must be trained to have parameters to count, got {row.name!r}.")
        with torch.device("meta"):
            return build_adapter(self._shape_of(row).dim, settings)

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        with torch.device("meta"):
            theirs = num_trained(*pixel_networks(self.options.pixel_method), self._shape_of(row).build())
        ours = num_trained(adapter)
        found = {
            "adapter, millions": Score(ours / MILLION, "low", by=COUNTED),
            PIXEL_LEVEL: Score(theirs / MILLION, "low", by=COUNTED),
            "share less": Score(1 - ours / theirs, "high", by=COUNTED),
        }
        return entry_of(recipe, row, self, found)

    def measure_pixels(self, recipe: Recipe, row: Row, *, shared: Path) -> Entry:
        """What a pixel-level system trains: f_A alone, and with the encoder as f_T and a self-supervised f_B."""
        settings = row.pixel_settings(seed=self.seed)
        if not isinstance(settings, LearnedSettings):
            raise InputError(f"rows must be trained to have parameters to count, got {row.name!r}.")
        with torch.device("meta"):
            anonymizer = num_trained(build_anonymizer(settings))
            found = {"pixel anonymizer, millions": Score(anonymizer / MILLION, "low", by=COUNTED)}
            if isinstance(settings, SelfSupervisedSettings):
                others = num_trained(build_branch(settings.budget), self._shape_of(row).build())
                found[PIXEL_LEVEL] = Score((anonymizer + others) / MILLION, "low", by=COUNTED)
        return entry_of(recipe, row, self, found)

    def _shape_of(self, row: Row) -> EncoderShape:
        named = [name for name in self.options.encoders if row.name.startswith(name)]
        if not named:
            raise InputError(
                f"rows must begin with one of the encoders {', '.join(self.options.encoders)}, got {row.name!r}."
            )
        return self.options.encoders[max(named, key=len)]


def pixel_networks(method: str) -> list[nn.Module]:
    """f_A and f_B of a self-supervised pixel-level method as published: what it trains besides f_T."""
    settings = PIXEL_METHODS.get(method).Settings()
    if not isinstance(settings, SelfSupervisedSettings):
        raise InputError(f"pixel_method must be self-supervised, as spact is, got {method!r}.")
    return [build_anonymizer(settings), build_branch(settings.budget)]


def build_anonymizer(settings: LearnedSettings) -> nn.Module:
    """f_A of a learned pixel-level method."""
    return ANONYMIZER_NETWORKS.get(settings.anonymizer.architecture).make(settings.anonymizer.options)


def num_trained(*networks: nn.Module) -> int:
    """The number of parameters."""
    return sum(value.numel() for network in networks for value in network.parameters())


def nothing() -> FeatureSet:
    """Features of no clip."""
    text, number = np.array([], dtype=str), np.array([], dtype=np.int64)
    return FeatureSet(
        video=text,
        clip=number,
        start_frame=number,
        time=number.astype(np.float64),
        kind=text,
        view=text,
        feature=np.zeros((0, 1), dtype=np.float32),
    )


class Parameters(BenchProtocol):
    """What there is to train."""

    name: ClassVar[str] = "parameters"
    about: ClassVar[str] = "parameters that are trained, counted from the networks without data"
    Options: ClassVar[type[Strict]] = ParameterOptions
    needs_data: ClassVar[bool] = False

    def build(self, data: BenchData | None, recipe: Recipe, *, seed: int) -> ParameterArena:
        return ParameterArena(ParameterOptions.model_validate(recipe.options), seed)


protocol = Parameters()
