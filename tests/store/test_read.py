from __future__ import annotations

import pickle
import weakref
from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.store import FeatureStore, StoreWriter
from latentveil.types import FeatureSet, concatenate


@pytest.fixture
def small_row_groups(monkeypatch):
    """Row groups of five rows, so that videos lie across and between them."""
    monkeypatch.setattr("latentveil.store.shard.ROW_GROUP_BYTES", 8 * 4 * 5)


@pytest.mark.parametrize("shards", [[["a", "b", "c", "d"]], [["d"], ["b", "a"], ["c"]]])
def test_reading_everything_is_sorted_however_the_store_is_cut(tmp_path, build, small_row_groups, shards):
    found = build.store(tmp_path, shards).read()
    wanted = build.features("abcd")
    order = np.lexsort((wanted.start_frame, wanted.kind, wanted.video))
    for column in fields(FeatureSet):
        np.testing.assert_array_equal(getattr(found, column.name), getattr(wanted, column.name)[order])
    assert found.feature.dtype == np.float32


@pytest.mark.parametrize("kind", [None, "temporal", "static"])
def test_reading_some_videos_and_kinds(tmp_path, build, small_row_groups, kind):
    store = build.store(tmp_path, [["a", "b", "c"], ["d", "e"]])
    found = store.read(kind, ["e", "b", "b"])
    wanted = build.features(["b", "e"])
    build.same_rows(found, wanted if kind is None else wanted.of_kind(kind))
    assert found.videos == ["b", "e"]


def test_a_kind_that_no_video_has_gives_no_rows(tmp_path, build):
    store = build.store(tmp_path, [["a"]], stills=0)
    assert store.read("static").feature.shape == (0, 8)


@pytest.mark.parametrize("kind", ["temporal", "static"])
def test_a_video_comes_in_time_order(tmp_path, build, small_row_groups, kind):
    store = build.store(tmp_path, [["a", "b"], ["c"]], clips=7)
    for name in "abc":
        rows = build.video(name, clips=7).of_kind(kind)
        wanted = rows.feature[np.argsort(rows.start_frame)]
        torch.testing.assert_close(store.video(name, kind), torch.from_numpy(wanted), rtol=0, atol=0)


def test_reading_one_video_touches_its_row_groups_only(tmp_path, build, small_row_groups, monkeypatch):
    store = build.store(tmp_path, [["a", "b", "c"], ["d", "e", "f"]])
    decoded = []
    read_row_group = FeatureStore._read_row_group
    monkeypatch.setattr(
        FeatureStore,
        "_read_row_group",
        lambda self, shard, group: decoded.append((shard, group)) or read_row_group(self, shard, group),
    )
    store = FeatureStore(tmp_path)
    store.video("b")
    store.video("b", "static")
    assert [group for _, group in decoded] == [1]


def test_a_split_is_read_through_its_labels(tmp_path, build):
    store = build.store(tmp_path, [["a", "b", "c"]])
    labels = Labels(video=np.array(["c", "a", "b"]), split=np.array(["train", "train", "test"]))
    assert store.read_split(labels, "train").videos == ["a", "c"]
    assert set(store.read_split(labels, "test", kind="static").kind) == {"static"}
    more = Labels(video=np.array(["a", "lost"]), split=np.array(["train", "train"]))
    with pytest.raises(InputError, match="'lost'"):
        store.read_split(more, "train")
    assert store.read_split(more.only(store.videos), "train").videos == ["a"]


def test_batches_are_padded_videos_in_the_given_order(tmp_path, build):
    lengths = {"a": 3, "b": 1, "c": 5}
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(concatenate([build.video(name, clips=lengths[name]) for name in lengths]))
        writer.write_shard(build.video("still", clips=0))
        writer.finish()
    store = FeatureStore(tmp_path)
    (first, features, mask), (second, *_) = store.batches(2, videos=["c", "b", "a"])
    assert (first, second) == (["c", "b"], ["a"])
    assert mask.tolist() == [[True] * 5, [True] + [False] * 4]
    torch.testing.assert_close(features[0], store.video("c"))
    torch.testing.assert_close(features[1, :1], store.video("b"))
    assert not features[1, 1:].any()
    assert [names for names, *_ in store.batches(2)] == [["a", "b"], ["c"]]
    assert [names for names, *_ in store.batches(9, "static")] == [["a", "b", "c", "still"]]


def test_views_are_told_apart(tmp_path, build):
    rows = build.video("a", stills=0)
    other = replace(rows, view=np.full(len(rows), "training-0"), feature=rows.feature + 1)
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(concatenate([rows, other]))
        writer.finish()
    store = FeatureStore(tmp_path)
    with pytest.raises(InputError, match="training-0, validation"):
        store.video("a")
    difference = store.video("a", view="training-0") - store.video("a", view="validation")
    torch.testing.assert_close(difference, torch.ones(4, 8))
    with pytest.raises(InputError, match="got 'nothing'"):
        store.video("a", view="nothing")


def test_shards_come_one_at_a_time(tmp_path, build):
    store = build.store(tmp_path, [["a"], ["b"], ["c", "d"]])
    shards = store.shards()
    first = next(shards)
    gone = weakref.ref(first.feature)
    videos = first.videos
    del first
    assert gone() is None, "the store must not hold on to a shard"
    for shard in shards:
        videos += shard.videos
    assert sorted(videos) == ["a", "b", "c", "d"]


def test_float16_is_read_as_float32_within_its_rounding(tmp_path, build):
    store = build.store(tmp_path, [["a", "b"]], dtype="float16")
    exact = build.features(["a", "b"])
    wanted = exact.feature[np.lexsort((exact.start_frame, exact.kind, exact.video))]
    found = store.read().feature
    assert found.dtype == np.float32
    assert store.video("a").dtype == torch.float32
    np.testing.assert_allclose(found, wanted, rtol=2**-11, atol=2**-25)
    assert np.abs(found - wanted).max() > 0


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda store: store.video("z"), "got 'z'"),
        (lambda store: store.read(videos=["a", "z"]), "got 'z'"),
        (lambda store: store.read("moving"), "kind must be one of"),
        (lambda store: store.video("a", "moving"), "kind must be one of"),
        (lambda store: store.video("a", "static"), "must have static clips"),
        (lambda store: next(store.batches(0)), "size must be at least 1"),
    ],
)
def test_what_is_not_there_is_refused_by_name(tmp_path, build, ask, words):
    store = build.store(tmp_path, [["a"]], stills=0)
    with pytest.raises(InputError, match=words):
        ask(store)


def test_a_lost_or_cut_shard_is_named(tmp_path, build):
    store = build.store(tmp_path, [["a"]])
    (shard,) = tmp_path.glob("shard-*")
    whole = shard.read_bytes()
    shard.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=shard.name):
        FeatureStore(tmp_path).read()
    shard.unlink()
    with pytest.raises(InputError, match=shard.name):
        store.read_shard(shard.name)


def test_a_store_can_be_handed_to_another_process(tmp_path, build):
    store = build.store(tmp_path, [["a"]])
    copy = pickle.loads(pickle.dumps(store))
    assert copy.manifest == store.manifest
    torch.testing.assert_close(copy.video("a"), store.video("a"))
    assert (len(store), store.dim) == (6, 8)


names = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/\\"), min_size=1, max_size=8
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_rows_come_back_as_they_went_in(tmp_path_factory, build, data):
    videos = data.draw(
        st.lists(names.filter(lambda name: name not in (".", "..")), min_size=1, max_size=5, unique=True)
    )
    dim = data.draw(st.integers(1, 9))
    parts = [
        build.video(name, clips=data.draw(st.integers(0, 4)), stills=data.draw(st.integers(1, 3)), dim=dim)
        for name in videos
    ]
    cut = data.draw(st.integers(0, len(parts)))
    path = tmp_path_factory.mktemp("store")
    with StoreWriter(path, build.manifest(dim)) as writer:
        for group in (parts[:cut], parts[cut:]):
            if group:
                writer.write_shard(concatenate(group))
        writer.finish()
    build.same_rows(FeatureStore(path).read(), concatenate(parts))
