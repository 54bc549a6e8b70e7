"""The verb `fit`: an adapter from features, or a pixel anonymizer from videos; the method says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from latentveil.adapters.adapter import Adapter
from latentveil.errors import UsageError
from latentveil.extraction.live_features import VideoSource
from latentveil.labels import LabelsLike, SegmentsLike
from latentveil.methods.base import METHODS, Method
from latentveil.methods.fit import fit as fit_latent
from latentveil.names import did_you_mean
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS, PixelMethod, PixelMethodName
from latentveil.pixels.fit import Videos, fit_pixels
from latentveil.progress import OnProgress
from latentveil.store.sources import FeaturesLike


@overload
def fit(  # type: ignore[overload-overlap]  # a name of a pixel method is narrower than any other text
    features: Videos,
    labels: LabelsLike | None = ...,
    output: str | Path | None = ...,
    *,
    method: PixelMethodName | PixelMethod,
    preset: str | None = ...,
    tasks: str | Sequence[str] | None = ...,
    settings: Mapping[str, Any] | Sequence[str] = ...,
    seed: int = ...,
    device: str = ...,
    progress: bool | OnProgress = ...,
) -> PixelAnonymizer: ...
@overload
def fit(
    features: FeaturesLike,
    labels: LabelsLike | None = ...,
    output: str | Path | None = ...,
    *,
    tasks: str | Sequence[str] | None = ...,
    preset: str | None = ...,
    method: str | Method | None = ...,
    settings: Mapping[str, Any] | Sequence[str] = ...,
    segments: SegmentsLike | None = ...,
    videos: VideoSource | str | Path | None = ...,
    groups: str | None = ...,
    release: bool = ...,
    read_gb: float | None = ...,
    seed: int | None = ...,
    device: str = ...,
    progress: bool | OnProgress = ...,
) -> Adapter: ...
def fit(
    features: Any,
    labels: LabelsLike | None = None,
    output: str | Path | None = None,
    *,
    method: str | Method | PixelMethod | None = None,
    **options: Any,
) -> Adapter | PixelAnonymizer:
    """An adapter that hides who is in the videos and keeps what ``tasks`` need, fitted on the training videos.

    With a latent method (or a preset) the first argument are ``features``, and all else is as in `methods.fit`. With a
    pixel ``method``, such as spact, it names videos: files, folders or lists; the result rewrites videos.
    """
    if not is_pixel_method(method):
        assert not isinstance(method, PixelMethod)
        return fit_latent(features, labels, output, method=method, **options)
    options["seed"] = options.get("seed") or 0
    for name in ("segments", "videos", "groups", "release", "read_gb"):
        if options.pop(name, None):
            raise UsageError(
                f"{name} must be left out for a pixel method, got some. It reads the videos alone."
            )
    assert isinstance(method, str | PixelMethod)
    return fit_pixels(features, labels, output, method=method, **options)


def is_pixel_method(method: str | Method | PixelMethod | None) -> bool:
    """Whether a method rewrites videos: it is such an object, or a name that no latent method has."""
    if not isinstance(method, str):
        return isinstance(method, PixelMethod)
    if method in METHODS.names():
        return False
    if method in PIXEL_METHODS.names():
        return True
    if ":" not in method:
        known = [*METHODS.names(), *PIXEL_METHODS.names()]
        raise UsageError(
            f"method must be one of {', '.join(known)}, or package.module:object, got {method!r}."
            + did_you_mean(method, known)
        )
    try:
        PIXEL_METHODS.get(method)
    except ValueError:
        return False
    return True
