"""Videos that are rewritten, beside features that are: fresh action classifiers and attackers for every row.

The shape of the tables of SPAct and of the penalty-driven paper. f_A is trained on the training people and fixed; then
f_T' and f_B' are trained on what it makes of their videos, chosen on validation people, and graded on strangers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.pixels.anonymizers import Made, make_anonymizer
from latentveil.bench.pixels.clips import ClipShape, GradedClips, read_clips, rewrite_clips
from latentveil.bench.pixels.data import PixelData, load_pixel_data, render_actors
from latentveil.bench.pixels.hits import Attackers, action_hits, scores_of
from latentveil.bench.pixels.kept import KeptAnswers
from latentveil.bench.pixels.readers import ReaderShape
from latentveil.bench.pixels.recognizers import I3D, video_features
from latentveil.bench.protocols.action_arena import ActionArena
from latentveil.bench.protocols.base import BenchProtocol, entry_of
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.labels import SECRET_PREFIX, Labels
from latentveil.progress import OnProgress, silent
from latentveil.types import TEMPORAL, FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

ACTORS = "actors"


class PixelOptions(Strict):
    """Clips of ``frames`` of ``size`` pixels, the networks that grade them, and what f_A does not know.

    ``recognizers`` are f_T', ``depths`` those of the ResNets f_B', and ``starts`` where these begin: `scratch`, trained
    on `raw` video and used as they are, or `tuned` from there. f_A's training sees ``num_seen`` actions (0: all), and
    an oracle the ``seen_secrets`` (none named: all); the others are novel. Drawn people get ``more_test`` videos of
    other people to be graded on. From scratch ``num_fresh`` f_B' of each depth learn, and the mean of what they find
    counts: the luck of one moves it as far as many rows are apart. Each learns for ``reader_epochs``: those of 10 read
    gender and skin of raw video hardly above guessing, and all that is hidden is told against raw video.
    """

    frames: int = Field(8, ge=1)
    size: int = Field(64, ge=16)
    recognizers: tuple[str, ...] = (I3D,)
    depths: tuple[int, ...] = (18,)
    starts: tuple[Literal["scratch", "raw", "tuned"], ...] = ("scratch", "raw", "tuned")
    reader_epochs: int = Field(40, ge=1)
    num_seen: int = Field(0, ge=0)
    seen_secrets: tuple[str, ...] = ()
    more_test: int = Field(1280, ge=0)
    num_fresh: int = Field(3, ge=1)

    def readers(self) -> tuple[ReaderShape, ...]:
        return tuple(ReaderShape(depth=depth, epochs=self.reader_epochs) for depth in self.depths)


@dataclass(frozen=True, eq=False)
class PixelArena(ActionArena):
    """The videos under one seed."""

    features: FeatureSet
    labels: Labels
    seed: int
    options: PixelOptions
    data: PixelData
    raw: GradedClips
    actions: ActionCut
    attackers: Attackers

    @property
    def cut(self) -> dict[str, Any]:
        return super().cut if self.actions.is_split else {}

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        """A row on features: the linear attack alone, and all networks too where the video is raw."""
        safe = self.safe_features(row, adapter).of_kind(TEMPORAL)
        places = {video: place for place, video in enumerate(safe.video.tolist())}
        features = safe.feature[[places[video] for video in self.labels.video.tolist()]]
        whole = row.name == recipe.raw
        return self._entry(recipe, row, features, clips=self.raw if whole else None)

    def measure_pixels(self, recipe: Recipe, row: Row, *, shared: Path) -> Entry:
        made = self.make(row, shared=shared)
        clips = self.rewritten(made)
        entry = self._entry(recipe, row, _features(clips, made), clips=clips)
        training = made.training()
        return entry if training is None else entry | {"training": training}

    def make(self, row: Row, *, shared: Path) -> Made:
        """The row's anonymizer, trained on what it may know."""
        labels = self.training_labels()
        if self.options.seen_secrets:
            labels = _without(labels, set(labels.secrets) - set(self.options.seen_secrets))
        folder = self.data.folder
        return make_anonymizer(row, [folder], labels, folder=folder, seed=self.seed, shared=shared)

    def rewritten(self, made: Made) -> GradedClips:
        """The clips behind an anonymizer."""
        if made.anonymizer.plugin.stream is None:
            return rewrite_clips(self.raw, made.anonymizer)
        shape = ClipShape(self.options.frames, self.options.size)
        return read_clips(self.data.files, self.labels, shape, anonymizer=made.anonymizer)

    def _entry(self, recipe: Recipe, row: Row, features: np.ndarray, *, clips: GradedClips | None) -> Entry:
        """Everything that is measured of anonymized ``features`` (V, D), and of ``clips`` where there are some."""
        hits = action_hits(
            features,
            self.raw,
            clips,
            recognizers=self.options.recognizers,
            cut=self.actions,
            seed=self.seed,
            kept=self.attackers.kept,
        )
        hits |= self.attackers.hits(features, clips)
        return entry_of(recipe, row, self, scores_of(hits, seen_secrets=self.options.seen_secrets))


def _features(clips: GradedClips, made: Made) -> np.ndarray:
    """I3D features (V, D) of rewritten clips, kept beside an anonymizer that was trained."""
    pictures = sha256(clips.pictures.tobytes()).hexdigest()[:16]
    kept = made.place / f"features-{pictures}.npy" if made.place else None
    if kept is not None and kept.is_file():
        return np.load(kept)
    features = video_features(clips.pictures)
    if kept is not None:
        np.save(kept, features)
    return features


def _without(labels: Labels, secrets: set[str]) -> Labels:
    """The labels without some secrets."""
    hidden = {f"{SECRET_PREFIX}{name.removeprefix(SECRET_PREFIX)}" for name in secrets}
    return replace(
        labels, columns={name: values for name, values in labels.columns.items() if name not in hidden}
    )


class Pixels(BenchProtocol):
    """Rewritten videos."""

    name: ClassVar[str] = "pixels"
    about: ClassVar[str] = (
        "videos that are rewritten; fresh action classifiers and attackers, graded on strangers"
    )
    Options: ClassVar[type[Strict]] = PixelOptions

    def own_data(
        self, data: str | Path, recipe: Recipe, *, output: Path, quick: bool, on_progress: OnProgress = silent
    ) -> PixelData:
        options, cache = PixelOptions.model_validate(recipe.options), output / "data"
        folder = Path(data)
        if str(data) == ACTORS and not folder.is_dir():
            folder = render_actors(
                cache / (f"{ACTORS}-videos-{options.size}" + ("-quick" if quick else "")),
                size=options.size,
                quick=quick,
                more_test=options.more_test,
                on_progress=on_progress,
            )
        shape = ClipShape(options.frames, options.size)
        return load_pixel_data(folder, shape, cache=cache, on_progress=on_progress)

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> PixelArena:
        assert isinstance(data, PixelData)
        assert data.raw is not None
        options = PixelOptions.model_validate(recipe.options)
        actions = ActionCut.draw(data.labels, num_seen=options.num_seen, seed=seed)
        kept = KeptAnswers(data.cache / "answers")
        attackers = Attackers(
            data.raw, recipe.secrets, options.readers(), options.starts, seed, kept, options.num_fresh
        )
        return PixelArena(data.features, data.labels, seed, options, data, data.raw, actions, attackers)


protocol = Pixels()
