"""Inversion: how much of the picture a decoder brings back from features of people it has never seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.attacks.inversion import ADAPTIVE, MEAN_FRAME, NON_ADAPTIVE
from latentveil.auditing.pictures import decode_pictures
from latentveil.auditing.reconstruction import InversionClips, choose_clips, measure_inversion
from latentveil.bench.counted import counted
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.protocols.action_arena import ActionArena
from latentveil.bench.protocols.base import BenchProtocol, entry_of, of_set
from latentveil.bench.readings import Entry
from latentveil.bench.rows import Row, Strict
from latentveil.bench.scores import Score
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import Halves, mean_of
from latentveil.types import FeatureSet

if TYPE_CHECKING:
    from latentveil.bench.data import BenchData
    from latentveil.bench.recipe import Recipe

HEADLINES = {
    ADAPTIVE: "decoder of anonymized features",
    NON_ADAPTIVE: "decoder of raw features",
}


class PictureOptions(Strict):
    """The videos by the column `set`, and the ``attribute`` that somebody looks for in the pictures."""

    action_set: str = ""
    attribute: str = "gender"


@dataclass(frozen=True, eq=False)
class PictureArena(ActionArena):
    """Clips with their pictures, and the actions that adapters learn from."""

    features: FeatureSet
    labels: Labels
    seed: int
    options: PictureOptions
    actions: ActionCut
    clips: InversionClips
    frames: np.ndarray
    known: Labels = field(repr=False)

    def measure(self, recipe: Recipe, row: Row, adapter: Adapter) -> Entry:
        safe = self.safe_features(row, adapter)
        found, result = measure_inversion(
            self.features,
            safe,
            clips=self.clips,
            frames=self.frames,
            labels=self.known,
            secret=self.options.attribute,
            seed=self.seed,
        )
        videos = self.features.video[self.clips.test]
        behind = counted(self.known, np.unique(videos))
        people = self.known.groups[self.known.places(videos)]
        measured = {
            "PSNR": (found.psnr, result.psnr, found.psnr[MEAN_FRAME].value),
            "SSIM": (found.ssim, result.ssim, found.ssim[MEAN_FRAME].value),
            f"{self.options.attribute} in the picture": (
                found.attribute.named,
                result.correct,
                found.attribute.chance,
            ),
        }
        scores: dict[str, Score] = {}
        for kind, by in HEADLINES.items():
            if kind not in result.psnr:
                continue  # the adapter changes the width, and the decoder of raw features does not fit
            for name, (intervals, values, chance) in measured.items():
                halves = Halves.of(mean_of(values[kind]), people)
                scores[f"{name}, {by}"] = Score.of(
                    intervals[kind], "low", chance=chance, by=by, halves=halves, **behind
                )
        return entry_of(recipe, row, self, scores | self.actions.scores(safe, seed=self.seed))


class Pictures(BenchProtocol):
    """Pictures from features."""

    name: ClassVar[str] = "pictures"
    about: ClassVar[str] = (
        "how much of the picture decoders bring back, of people they have never seen; guessing is the mean frame"
    )
    Options: ClassVar[type[Strict]] = PictureOptions

    def build(self, data: BenchData, recipe: Recipe, *, seed: int) -> PictureArena:
        options = PictureOptions.model_validate(recipe.options)
        if data.videos is None:
            raise InputError(
                "data must hold the videos to bring pictures back, got none. Add a folder `videos`."
            )
        labels = of_set(data.labels, options.action_set)
        files = data.videos.files()
        known = labels.only([video for video in labels.video.tolist() if video in files])
        inside = np.flatnonzero(np.isin(data.features.video, known.video))
        chosen = choose_clips(data.features.select(inside), known, options.attribute, seed=seed)
        clips = InversionClips(*(inside[part] for part in (chosen.train, chosen.validation, chosen.test)))
        frames = decode_pictures(data.features.select(clips.rows), files, clip_frames=data.videos.clip_frames)
        actions = ActionCut.draw(labels, seed=seed)
        return PictureArena(data.features, data.labels, seed, options, actions, clips, frames, known)


protocol = Pictures()
