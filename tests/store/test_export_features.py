from __future__ import annotations

import json
from dataclasses import replace

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.store import FeatureStore, StoreWriter
from latentveil.store.export_features import export_h5, export_npy, export_npz
from latentveil.store.import_features import write_imported
from latentveil.types import concatenate


def test_npy_files_in_time_order_static_clips_apart(tmp_path, build):
    store = build.store(tmp_path / "s", [["a", "sub/b"]])
    export_npy(store, tmp_path / "out")
    files = sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.npy")
    )
    assert files == ["a.npy", "static/a.npy", "static/sub/b.npy", "sub/b.npy"]
    rows = build.video("sub/b").of_kind("temporal")
    np.testing.assert_array_equal(
        np.load(tmp_path / "out/sub/b.npy"), rows.feature[np.argsort(rows.start_frame)]
    )


def test_h5_has_one_array_per_video_and_a_second_file_for_static_clips(tmp_path, build):
    store = build.store(tmp_path / "s", [["a"], ["b"]])
    written = export_h5(store, tmp_path / "x.h5")
    assert [path.name for path in written] == ["x.h5", "x_static.h5"]
    for path, kind in zip(written, ("temporal", "static")):
        with h5py.File(path) as file:
            assert sorted(file) == ["a", "b"]
            assert file["a"].dtype == np.float32
            np.testing.assert_array_equal(file["a"][()], store.video_array("a", kind))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "x.h5", "x_static.h5"]


name_parts = st.text("abcXYZ0189._- é", min_size=1, max_size=6).filter(lambda part: part.strip(". "))
# Every name has two parts: none can be the folder of another.
video_names = st.tuples(name_parts.map("f".__add__), name_parts).map("/".join)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_import_of_an_export_gives_the_store_back(tmp_path_factory, build, data):
    names = data.draw(st.lists(video_names, min_size=1, max_size=4, unique_by=str.lower))
    path = tmp_path_factory.mktemp("round")
    parts = [
        build.video(name, clips=data.draw(st.integers(0, 3)), stills=data.draw(st.integers(1, 2)))
        for name in names
    ]
    with StoreWriter(path / "s", build.manifest()) as writer:
        writer.write_shard(concatenate(parts))
        writer.finish()
    store = FeatureStore(path / "s")
    export_npy(store, path / "npy")
    export_h5(store, path / "x.h5")
    export_npz(store, path / "x.npz")
    write_imported([path / "x.npz"], path / "from_npz")
    build.same_rows(FeatureStore(path / "from_npz").read(), store.read())
    write_imported([path / "npy"], path / "from_npy")
    h5_files = [path / "x.h5"] if (path / "x.h5").exists() else []
    write_imported(h5_files, path / "from_h5", static_files=[path / "x_static.h5"])
    for other in ("from_npy", "from_h5"):
        again = FeatureStore(path / other)
        assert again.videos == store.videos
        for video, kind, _, rows in store.read().sequences():
            np.testing.assert_array_equal(again.video_array(video, kind), store.read().feature[rows])


def test_what_exists_is_never_overwritten(tmp_path, build):
    store = build.store(tmp_path / "s", [["a"]])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    for name in ("x.h5", "x.npz"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match="new or an empty folder"):
        export_npy(store, tmp_path / "out")
    for export, name in ((export_h5, "x.h5"), (export_npz, "x.npz")):
        with pytest.raises(InputError, match="must be a new file"):
            export(store, tmp_path / name)
        assert (tmp_path / name).read_text() == "mine"
    with pytest.raises(InputError, match="must be a folder"):
        export_npz(store, tmp_path / "nowhere" / "x.npz")


def test_names_that_collide_are_refused(tmp_path, build):
    both = build.store(tmp_path / "both", [["a", "static/a"]])
    with pytest.raises(InputError, match="twice"):
        export_npy(both, tmp_path / "out")
    nested = build.store(tmp_path / "nested", [["a", "a/b", "a.npy/b"]])
    with pytest.raises(InputError, match=r"'a\.npy' must be one array or a folder"):
        export_npy(nested, tmp_path / "out2")
    with pytest.raises(InputError, match="'a' must be one array or a folder"):
        export_h5(nested, tmp_path / "x.h5")
    assert not (tmp_path / "x.h5").exists()


def test_a_store_that_was_tampered_with_cannot_write_outside_the_folder(tmp_path, build, monkeypatch):
    monkeypatch.setattr("latentveil.store.shard.require_video_key", lambda video: None)
    store = build.store(tmp_path / "s", [["../escaped"]])
    with pytest.raises(InputError, match="relative path without"):
        export_npy(store, tmp_path / "out" / "deep")
    assert not list(tmp_path.rglob("*.npy"))


def test_a_view_must_be_chosen_where_there_are_several(tmp_path, build):
    rows = build.video("a", stills=0)
    other = replace(rows, view=np.full(len(rows), "training-1"), feature=rows.feature + 1)
    with StoreWriter(tmp_path / "s", build.manifest()) as writer:
        writer.write_shard(concatenate([rows, other]))
        writer.finish()
    store = FeatureStore(tmp_path / "s")
    with pytest.raises(InputError, match="training-1 and validation"):
        export_npy(store, tmp_path / "one")
    export_npy(store, tmp_path / "two", view="training-1")
    np.testing.assert_array_equal(np.load(tmp_path / "two/a.npy"), store.video_array("a", view="training-1"))
    with pytest.raises(InputError, match="view 'other'"):
        export_npy(store, tmp_path / "three", view="other")
    export_npz(store, tmp_path / "all.npz")
    with np.load(tmp_path / "all.npz") as table:
        assert json.loads(json.dumps(sorted(set(table["view"].tolist())))) == ["training-1", "validation"]


def test_what_kills_left_half_written_is_gone_at_the_end(tmp_path, build):
    def stop(*_, **__):
        raise KeyboardInterrupt

    store = build.store(tmp_path / "s", [["a"]])
    export_npy(store, tmp_path / "whole")
    names = sorted(path.name for path in (tmp_path / "whole").rglob("*"))
    out = tmp_path / "out"
    out.mkdir()
    half = out / f"..unfinished.{'0' * 32}.tmp"
    half.write_text("half a mark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            export_npy(store, out)
    (out / f".a.npy.{'0' * 32}.tmp").write_bytes(b"half an array")
    export_npy(store, out)
    assert sorted(path.name for path in out.rglob("*")) == names
