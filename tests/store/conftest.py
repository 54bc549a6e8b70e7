"""Small made-up videos and a manifest to store them under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from latentveil.store import FeatureStore, Manifest, StoreWriter
from latentveil.store.shard import Footer, to_rows
from latentveil.store.shard_file import write_shard_file
from latentveil.types import EncoderInfo, FeatureSet, Sampling, concatenate

DIM = 8


def make_video(
    name: str, *, clips: int = 4, stills: int = 2, dim: int = DIM, fps: float = 25.0
) -> FeatureSet:
    """One video whose features depend on its name alone; rows are shuffled."""
    random = np.random.default_rng(list(name.encode()))
    rows = clips + stills
    frames = np.concatenate([16 * np.arange(clips), 30 * np.arange(stills)])
    features = FeatureSet(
        video=np.full(rows, name),
        clip=np.concatenate([np.arange(clips), np.arange(stills)]),
        start_frame=frames,
        time=frames / fps,
        kind=np.array(["temporal"] * clips + ["static"] * stills),
        view=np.full(rows, "validation"),
        feature=random.normal(size=(rows, dim)).astype(np.float32),
    )
    return features.select(random.permutation(rows))


def make_features(names: Sequence[str], **options) -> FeatureSet:
    return concatenate([make_video(name, **options) for name in names])


def make_manifest(dim: int = DIM, **settings) -> Manifest:
    encoder = EncoderInfo("tiny", "0" * 64, dim, 16, 32, (0.5, 0.5, 0.5), (0.25, 0.25, 0.25), "mean")
    return Manifest(**{"encoder": encoder, "sampling": Sampling(static_clips=2)} | settings)


def fill_store(
    path: Path, shards: Sequence[Sequence[str]], *, dtype: str = "float32", **options
) -> FeatureStore:
    """A finished store with the given videos in each shard."""
    manifest = make_manifest(options.get("dim", DIM), dtype=dtype)
    with StoreWriter(path, manifest) as writer:
        for names in shards:
            writer.write_shard(make_features(names, **options))
        writer.finish()
    return FeatureStore(path)


def write_file(
    path: Path, features: FeatureSet, *, dtype: str = "float32", settings_sha256: str = "s"
) -> Footer:
    """A shard by itself, outside of any store."""
    rows, order = to_rows(features, dtype=dtype, dim=features.dim)
    groups = [features.feature[order[group.start : group.stop]] for group in rows.groups]
    return write_shard_file(path, rows, groups, settings_sha256=settings_sha256)


def assert_same_rows(got: FeatureSet, wanted: FeatureSet) -> None:
    """Both hold the same clips with the same values, in whatever order."""

    def sort(features: FeatureSet) -> FeatureSet:
        return features.select(np.lexsort((features.clip, features.view, features.kind, features.video)))

    got, wanted = sort(got), sort(wanted)
    for column in fields(FeatureSet):
        np.testing.assert_array_equal(
            getattr(got, column.name), getattr(wanted, column.name), err_msg=column.name
        )


@pytest.fixture
def build() -> type:
    """The helpers of this file, for tests that are imported without a package."""

    class Build:
        video: Callable = staticmethod(make_video)
        features: Callable = staticmethod(make_features)
        manifest: Callable = staticmethod(make_manifest)
        store: Callable = staticmethod(fill_store)
        shard_file: Callable = staticmethod(write_file)
        same_rows: Callable = staticmethod(assert_same_rows)

    return Build
