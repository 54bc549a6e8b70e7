"""What a pixel method is and what it reads: a file `pixels/<name>.py` that assigns ``pixel_method`` is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

from latentveil import config
from latentveil.errors import InputError, PluginError
from latentveil.extraction.inputs import VideoInput
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.network import PixelNetwork
from latentveil.plugins import Kind
from latentveil.progress import OnProgress, silent

# Our own pixel methods, for type checkers alone: what runs finds them by their files. A test compares the two.
PixelMethodName = Literal["blur", "cover", "downsample", "penalty", "spact", "stprivacy", "tedspad", "vita"]


@dataclass(frozen=True)
class TrainingVideos:
    """What a pixel method may read: files with their keys, and the labels of these videos.

    ``train`` are learned from, ``val`` may choose among what was learned; videos of the test split are in neither.
    ``labels`` (None: nobody gave any) have rows for these videos only, and secrets and people only for an oracle.
    ``tasks`` are what the videos must stay good for.
    """

    train: tuple[VideoInput, ...]
    val: tuple[VideoInput, ...] = ()
    labels: Labels | None = None
    tasks: tuple[str, ...] = ("action",)

    def fingerprint(self) -> str:
        """A hash of files (by key and size) and labels: a checkpoint of other data has another."""
        told = [f"{one.video} {one.path.stat().st_size}" for one in (*self.train, *self.val)]
        if self.labels is not None:
            named = ("video", "split", *sorted(self.labels.columns))
            told += ["\n".join([name, *self.labels.column(name).tolist()]) for name in named]
        return sha256("\n\n".join([*told, *self.tasks]).encode()).hexdigest()


class FitPixels(Protocol):
    """Makes a pixel anonymizer from videos; ``settings`` are of the method's own model.

    ``folder`` keeps logs and checkpoints, ``on_progress`` hears of each epoch; a method that has none of these may
    leave them alone (``**_``).
    """

    def __call__(
        self,
        videos: TrainingVideos,
        settings: Any,
        /,
        *,
        folder: Path | None = None,
        on_progress: OnProgress = silent,
    ) -> PixelAnonymizer: ...


def fit_nothing(network: PixelNetwork) -> FitPixels:
    """The fit of a method that learns nothing: ``network`` with those of its options that the settings hold."""

    def fit(_: TrainingVideos, settings: config.Settings, /, **__: Any) -> PixelAnonymizer:
        options = settings.model_dump(include=set(network.Options.model_fields))
        return PixelAnonymizer(architecture=network.name, **options).eval()

    return fit


@dataclass(frozen=True)
class PixelMethod:
    """A way to make a pixel anonymizer: ``fit`` does it, ``Settings`` are all that can be set, ``about`` says it.

    A ``learned`` one trains on the videos, logs its epochs and goes on after a kill; the others read no video, so that
    their name serves in place of a folder. An ``oracle`` reads secrets. ``presets`` are changes of settings by name, as
    ``{"tiny": ("train.epochs=3",)}``.
    """

    name: str
    fit: FitPixels
    about: str
    Settings: type[config.Settings] = config.Settings
    learned: bool = False
    oracle: bool = False
    presets: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not issubclass(self.Settings, config.Settings):
            raise InputError(
                f"Settings of the pixel method {self.name} must derive from latentveil.config.Settings, "
                f"got {self.Settings.__name__}."
            )

    def make(
        self,
        videos: TrainingVideos,
        settings: Any,
        /,
        *,
        folder: Path | None = None,
        on_progress: OnProgress = silent,
    ) -> PixelAnonymizer:
        """What ``fit`` gives, if it is an anonymizer."""
        anonymizer = self.fit(videos, settings, folder=folder, on_progress=on_progress)
        if not isinstance(anonymizer, PixelAnonymizer):
            raise PluginError(
                f"the pixel method {self.name} must give a PixelAnonymizer, got {type(anonymizer).__name__}. Mend it."
            )
        return anonymizer


PIXEL_METHODS = Kind("pixel method", "latentveil.pixels", PixelMethod)
