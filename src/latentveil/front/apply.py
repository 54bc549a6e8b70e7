"""The verb `apply`: features anonymized by an adapter, or videos rewritten by a pixel anonymizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from latentveil.adapters.adapter import Adapter, AdapterLike
from latentveil.adapters.apply import apply as apply_latent
from latentveil.adapters.forget import finish_forgetting
from latentveil.errors import UsageError
from latentveil.files.places import PlaceLike, as_place
from latentveil.front.loading import load_either
from latentveil.machine.engines import LOCAL, Engine
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.apply import RewriteOptions, apply_pixels
from latentveil.pixels.fit import Videos
from latentveil.pixels.request import Span
from latentveil.pixels.rewritten import AnonymizedVideos
from latentveil.progress import OnProgress
from latentveil.store import FeatureStore
from latentveil.types import FeatureSet

# What only an adapter of features reads.
OF_FEATURES = ("seed", "forget")
ON_A_CLUSTER = ("engine", "address", "workers", "worker_gpus")


@overload
def apply(
    adapter: PixelAnonymizer,
    features: Videos,
    output: str | Path,
    *,
    keep_sound: bool = ...,
    spans: Mapping[str, Sequence[Span]] | None = ...,
    boxes: str | Path | None = ...,
    boxes_out: str | Path | None = ...,
    review: str | Path | None = ...,
    sandbox: bool = ...,
    decoding: Mapping[str, float] | None = ...,
    device: str = ...,
    progress: bool | OnProgress = ...,
) -> AnonymizedVideos: ...
@overload
def apply(
    adapter: AdapterLike,
    features: PlaceLike | FeatureStore,
    output: PlaceLike | None = ...,
    *,
    seed: int | None = ...,
    device: str = ...,
    engine: str | Engine = ...,
    address: str | None = ...,
    workers: int | None = ...,
    worker_gpus: float = ...,
    forget: bool = ...,
    progress: bool | OnProgress = ...,
) -> FeatureStore: ...
@overload
def apply(
    adapter: AdapterLike, features: FeatureSet, *, seed: int | None = ..., device: str = ...
) -> FeatureSet: ...
@overload
def apply(
    adapter: AdapterLike, features: Mapping[str, Any], *, seed: int | None = ..., device: str = ...
) -> dict[str, np.ndarray]: ...
@overload
def apply(
    adapter: AdapterLike, features: Any, *, seed: int | None = ..., device: str = ...
) -> np.ndarray: ...
def apply(
    adapter: AdapterLike | PixelAnonymizer,
    features: Any,
    output: PlaceLike | None = None,
    *,
    progress: bool | OnProgress = True,
    device: str = "cpu",
    **options: Any,
) -> FeatureStore | FeatureSet | dict[str, np.ndarray] | np.ndarray | AnonymizedVideos:
    """Anonymized features of a store or of arrays, or rewritten videos: what ``adapter`` is says which.

    ``adapter`` is one in memory, a folder, or a name on the hub. An adapter takes features, a pixel anonymizer takes
    files, folders or lists of videos and writes them to ``output`` as mp4, where a run that was stopped goes on.

    For features, ``seed`` makes the noise repeatable, ``engine`` "ray" with ``address``, ``workers`` and
    ``worker_gpus`` spreads the shards of a store over a cluster, and ``forget`` destroys what the adapter's folder
    holds of single groups once the store is complete. Videos are rewritten on this machine; several share them if each
    has a part of them and an ``output`` of its own. For videos, ``keep_sound`` copies the sound, ``spans`` are the
    seconds of each video that are rewritten ({video: [(from, to)]}, all of a video that is not named), ``boxes`` is a
    CSV file to cover instead of what a detector finds, ``boxes_out`` and ``review`` name files to write: the boxes that
    were covered, and a page of frames to look at; ``sandbox`` and ``decoding`` are for files one does not trust, as for
    `extract`.
    """
    if options.get("forget") and not isinstance(adapter, Adapter | PixelAnonymizer):
        finish_forgetting(adapter)  # or what a run left that was stopped at it could not be loaded
    found = adapter if isinstance(adapter, Adapter | PixelAnonymizer) else load_either(adapter)
    if isinstance(found, Adapter):
        given = adapter if not isinstance(adapter, PixelAnonymizer) else found
        _refuse(options, RewriteOptions.__dataclass_fields__, "a pixel anonymizer")
        return apply_latent(given, features, output, device=device, progress=progress, **options)
    _refuse(options, OF_FEATURES, "an adapter of features")
    _refuse_cluster(options)
    folder = None if output is None else as_place(output)
    if not isinstance(folder, Path):
        raise UsageError(
            f"output must be a folder of this machine for the rewritten videos, got {folder or 'none'}. "
            "Give one as third argument."
        )
    options["spans"] = options.get("spans") or {}
    return apply_pixels(
        found, features, folder, options=RewriteOptions(**options), device=device, progress=progress
    )


def _refuse(options: dict[str, Any], names: Any, owner: str) -> None:
    """Refuse options that only the other kind of anonymizer reads."""
    for name in names:
        if options.pop(name, None):
            raise UsageError(f"{name} must be left out here, got some. It is for {owner}.")


def _refuse_cluster(options: dict[str, Any]) -> None:
    """Refuse to spread videos over a cluster, and say how several machines can share them."""
    for name in ON_A_CLUSTER:
        value = options.pop(name, None)
        if value and value != LOCAL:
            raise UsageError(
                f"{name} must be left out for videos, which are rewritten on this machine, got {value!r}. To share "
                "them, run `veil apply` on each machine with a part of them and an output folder of its own."
            )
