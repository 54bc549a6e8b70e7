"""Small videos made on the spot, with features and labels for every task: what the contracts are tried on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latentveil.labels import Labels, Segment
from latentveil.types import STATIC, TEMPORAL, FeatureSet

DIM, NUM_VIDEOS, NUM_CLIPS, NUM_STILLS = 16, 32, 8, 3
CLIP_SECONDS = 16 / 25
EVENT = slice(2, 6)  # the clips in which something happens


@dataclass(frozen=True)
class Videos:
    """Features, labels and segments of the same videos."""

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]]

    def with_other(self, split: str) -> Videos:
        """The same but for the features and secrets of one split, which are others."""
        videos = self.labels.videos(split)
        rows = np.isin(self.features.video, videos)
        feature = np.where(rows[:, None], 7 - 3 * self.features.feature, self.features.feature)
        gender = self.labels.columns["secret_gender"]
        flipped = np.where(np.isin(self.labels.video, videos), np.where(gender == "1", "0", "1"), gender)
        columns = self.labels.columns | {"secret_gender": flipped}
        return replace(
            self,
            features=self.features.with_feature(feature),
            labels=replace(self.labels, columns=columns),
        )


def make_videos(*, seed: int = 0) -> Videos:
    """Half of the videos are for training, a quarter for validation, a quarter for testing; all have all classes.

    Dimensions 0 and 1 tell the actions, 2 and 3 the events, 4 the anomaly, 5 the gender; the others show how each video
    looks, and so do its stills.
    """
    random = np.random.default_rng(seed)
    rows, columns = [], []
    segments: dict[str, list[Segment]] = {}
    for index in range(NUM_VIDEOS):
        name = f"video{index:02d}"
        action, anomaly, gender = (index // 4 >> bit & 1 for bit in range(3))
        split = ("train", "train", "val", "test")[index % 4]
        columns.append((name, split, f"person{index // 4}", f"action{action}", str(anomaly), str(gender)))
        segments[name] = [Segment(EVENT.start * CLIP_SECONDS, EVENT.stop * CLIP_SECONDS, f"event{action}")]
        looks = np.where(np.arange(DIM) > 5, random.normal(size=DIM), 0.0)
        looks[5] = 2.0 * gender - 1.0
        moves = np.zeros((NUM_CLIPS, DIM))
        moves[:, action] = 2.0
        moves[EVENT, 2 + action] = 2.0
        moves[EVENT, 4] = 3.0 * anomaly
        for kind, shown in ((TEMPORAL, looks + moves), (STATIC, np.tile(looks, (NUM_STILLS, 1)))):
            noisy = shown + 0.3 * random.normal(size=shown.shape)
            rows += [(name, clip, 16 * clip, kind, feature) for clip, feature in enumerate(noisy)]
    video, clip, start_frame, kinds, feature = (np.array(column) for column in zip(*rows))
    features = FeatureSet(
        video=video,
        clip=clip,
        start_frame=start_frame,
        time=start_frame / 25,
        kind=kinds,
        view=np.full(len(rows), "validation"),
        feature=feature.astype(np.float32),
    )
    names, splits, people, actions, anomalies, genders = (np.array(column) for column in zip(*columns))
    labels = {"action": actions, "anomaly": anomalies, "secret_gender": genders}
    return Videos(features, Labels(names, splits, people, labels), segments)
