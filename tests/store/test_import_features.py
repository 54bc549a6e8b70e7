from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from latentveil.errors import InputError, Notice
from latentveil.store import FeatureStore, find_problems
from latentveil.store.import_features import ImportSettings, write_imported


@pytest.fixture
def arrays():
    random = np.random.default_rng(0)
    return {
        name: random.normal(size=(rows, 5)).astype(np.float32)
        for name, rows in (("a", 3), ("b", 1), ("c", 4))
    }


def save(path, arrays):
    """Write {video: (T, D)} in the layout that the path's ending (or its being a folder) asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match path.suffix:
        case ".npz":
            np.savez(path, **arrays)
        case ".h5":
            with h5py.File(path, "w") as file:
                for name, values in arrays.items():
                    file[name] = values
        case ".safetensors":
            save_file({name: torch.from_numpy(values) for name, values in arrays.items()}, path)
        case "":
            path.mkdir(parents=True)
            for name, values in arrays.items():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                np.save(path / f"{name}.npy", values)
    return path


@pytest.mark.parametrize("name", ["x.npz", "x.h5", "x.safetensors", "folder"])
def test_one_array_per_video(tmp_path, arrays, name):
    manifest = write_imported(
        [save(tmp_path / name, arrays)], tmp_path / "s", settings=ImportSettings("i3d", fps=25)
    )
    store = FeatureStore(tmp_path / "s")
    assert (store.videos, store.dim, manifest.encoder.name, manifest.fps) == (["a", "b", "c"], 5, "i3d", 25.0)
    for video, values in arrays.items():
        np.testing.assert_array_equal(store.video_array(video), values)
    rows = store.read(videos=["a"])
    assert rows.start_frame.tolist() == [0, 16, 32]
    np.testing.assert_allclose(rows.time, [0, 0.64, 1.28])
    assert find_problems(tmp_path / "s") == []


def test_names_in_hdf5_are_utf8(tmp_path):
    videos = ["Jörg winkt", "Jörg winkt", "Åse läuft"]
    for number, length in enumerate([None, 20]):  # of any length, as h5py writes lists, and of a fixed one
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            names = [video.encode() for video in videos]
            file.create_dataset("video", data=names, dtype=h5py.string_dtype(length=length))
            file["features"] = np.eye(3)
        write_imported([tmp_path / f"{number}.h5"], tmp_path / f"{number}")
        assert FeatureStore(tmp_path / f"{number}").videos == ["Jörg winkt", "Åse läuft"]
    with h5py.File(tmp_path / "latin.h5", "w") as file:
        file["video"] = np.array([video.encode("latin-1") for video in videos])
        file["features"] = np.eye(3)
    with pytest.raises(InputError, match=r"latin.h5: video must be text in UTF-8, got b'J\\xf6rg winkt'"):
        write_imported([tmp_path / "latin.h5"], tmp_path / "latin")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".h5", ".safetensors"])
def test_one_file_per_video_is_named_by_the_file(tmp_path, arrays, ending):
    for video, values in arrays.items():
        path = tmp_path / f"{video}.v1{ending}"
        if ending == ".npy":
            np.save(path, values)
        else:
            save(path, {"feats": values, "frames": np.array([3.0], np.float32)})
    write_imported(sorted(tmp_path.glob(f"*{ending}")), tmp_path / "s")
    store = FeatureStore(tmp_path / "s")
    assert store.videos == ["a.v1", "b.v1", "c.v1"]
    np.testing.assert_array_equal(store.video_array("c.v1"), arrays["c"])


def test_a_single_vector_is_one_clip(tmp_path):
    np.save(tmp_path / "image.npy", np.arange(5.0))
    write_imported([], tmp_path / "s", static_files=[tmp_path / "image.npy"])
    store = FeatureStore(tmp_path / "s")
    assert store.video_array("image", "static").tolist() == [[0, 1, 2, 3, 4]]
    assert store.read().start_frame.tolist() == [-1], "which frame it shows is not known"
    assert np.isnan(store.read().time).all()


def test_temporal_and_static_files_of_the_same_videos(tmp_path, arrays):
    stills = {name: values[:1] + 10 for name, values in arrays.items()}
    manifest = write_imported(
        [save(tmp_path / "features.h5", arrays)],
        tmp_path / "s",
        static_files=[save(tmp_path / "features_fb10.h5", stills)],
    )
    store = FeatureStore(tmp_path / "s")
    assert (manifest.counts.temporal, manifest.counts.static) == (8, 3)
    np.testing.assert_array_equal(store.video_array("a"), arrays["a"])
    np.testing.assert_array_equal(store.video_array("a", "static"), stills["a"])


def test_a_table_gives_its_own_rows_in_time_order(tmp_path):
    np.savez(
        tmp_path / "table.npz",
        video=np.array(["v", "w", "v", "v"]),
        kind=np.array([b"temporal", b"static", b"temporal", b"static"]),
        start_frame=np.array([45, 0, 22, 7]),
        feature=np.arange(8).reshape(4, 2),
    )
    write_imported([tmp_path / "table.npz"], tmp_path / "s", settings=ImportSettings(fps=10))
    store = FeatureStore(tmp_path / "s")
    assert store.video_array("v").tolist() == [[4, 5], [0, 1]]
    rows = store.read("temporal")
    assert (rows.clip.tolist(), rows.start_frame.tolist(), rows.time.tolist()) == (
        [0, 1],
        [22, 45],
        [2.2, 4.5],
    )
    assert store.video_array("v", "static").tolist() == [[6, 7]]
    assert store.video_array("w", "static").tolist() == [[2, 3]]


@pytest.mark.parametrize("feature", ["feature", "features", "feats"])
def test_a_table_may_name_its_features_as_single_videos_do(tmp_path, feature):
    table = {"video": np.array(["v", "w", "v"]), feature: np.arange(6.0).reshape(3, 2)}
    np.savez(tmp_path / "table.npz", **table)
    write_imported([tmp_path / "table.npz"], tmp_path / "s")
    store = FeatureStore(tmp_path / "s")
    assert store.videos == ["v", "w"]
    assert store.video_array("v").tolist() == [[0, 1], [4, 5]]


@pytest.mark.parametrize("ending", ["npz", "h5"])
def test_names_in_another_array_are_told_since_all_rows_are_taken_for_one_video(tmp_path, ending):
    path = tmp_path / f"one.{ending}"
    save(path, {"features": np.ones((3, 4), np.float32), "score": np.arange(3.0)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_imported([path], tmp_path / "quiet")
    texts = np.array(["a", "a", "b"]).astype("S1" if ending == "h5" else "U1")
    save(path, {"features": np.ones((3, 4), np.float32), "names": texts})
    with pytest.warns(Notice, match="in an array 'video', got 'names': all 3 rows"):
        write_imported([path], tmp_path / "told")


def test_one_array_without_a_name_is_the_file_and_several_are_a_video_each(tmp_path, arrays):
    np.savez(tmp_path / "one.npz", arrays["a"])
    np.savez(tmp_path / "three.npz", *arrays.values())
    write_imported([tmp_path / "one.npz", tmp_path / "three.npz"], tmp_path / "s")
    store = FeatureStore(tmp_path / "s")
    assert store.videos == ["arr_0", "arr_1", "arr_2", "one"]
    np.testing.assert_array_equal(store.video_array("arr_2"), arrays["c"])


@pytest.mark.parametrize("names", [["feats", "flow"], ["feature", "features"], ["arr_0", "extra"]])
def test_features_that_would_be_left_out_are_refused(tmp_path, arrays, names):
    path = save(tmp_path / "x.npz", dict.fromkeys(names, arrays["a"]))
    with pytest.raises(InputError, match=rf"x\.npz must hold one array .* '{names[0]}' and '{names[1]}'"):
        write_imported([path], tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_half_precision_and_bfloat16_sources(tmp_path):
    save_file({"feature": torch.tensor([[1.0, 2.5]], dtype=torch.bfloat16)}, tmp_path / "v.safetensors")
    write_imported([tmp_path / "v.safetensors"], tmp_path / "s", settings=ImportSettings(dtype="float16"))
    assert FeatureStore(tmp_path / "s").video_array("v").tolist() == [[1.0, 2.5]]
    assert FeatureStore(tmp_path / "s").manifest.dtype == "float16"


def write_bad(path, case):
    good = np.ones((2, 3), np.float32)
    values = {
        "nan": np.array([[1, np.nan, 1]]),
        "infinite": np.array([[1, np.inf, 1]]),
        "too large": np.array([[1, 1e300, 1]]),
        "other dimension": np.ones((2, 4)),
        "empty": np.ones((0, 3)),
        "crops": np.ones((2, 10, 3)),
        "scalar": np.array(3.0),
        "words": np.array([["a", "b", "c"]]),
        "objects": np.array([[None, 1, 2]], dtype=object),
        "complex": np.ones((2, 3), complex),
    }
    np.save(path / "good.npy", good)
    np.save(path / "wrong.npy", values[case], allow_pickle=True)


@pytest.mark.parametrize(
    "case",
    [
        "nan",
        "infinite",
        "too large",
        "other dimension",
        "empty",
        "crops",
        "scalar",
        "words",
        "objects",
        "complex",
    ],
)
def test_a_bad_file_is_named_and_no_store_can_be_read(tmp_path, case):
    folder = tmp_path / "in"
    folder.mkdir()
    write_bad(folder, case)
    with pytest.raises(InputError, match=r"wrong\.npy"):
        write_imported([folder], tmp_path / "s")
    with pytest.raises(InputError):
        FeatureStore(tmp_path / "s")
    np.save(folder / "wrong.npy", np.zeros((1, 3)))
    write_imported([folder], tmp_path / "s")
    assert FeatureStore(tmp_path / "s").videos == ["good", "wrong"]


@pytest.mark.parametrize("ending", [".npy", ".npz", ".h5", ".safetensors"])
@pytest.mark.parametrize("content", [b"", b"not features at all"])
def test_a_damaged_file_is_named_before_anything_is_written(tmp_path, ending, content):
    (tmp_path / f"broken{ending}").write_bytes(content)
    with pytest.raises(InputError, match=f"broken{ending}"):
        write_imported([tmp_path / f"broken{ending}"], tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "sprung").touch, ()

    for name, write in (("a.npy", np.save), ("b.npz", np.savez)):
        write(tmp_path / name, np.array([Trap(), 1], dtype=object))
        with pytest.raises(InputError, match="never unpickled"):
            write_imported([tmp_path / name], tmp_path / "s")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"video": np.array(["v"])}, r"video must be of shape \(2,\)"),
        ({"kind": np.array(["temporal", "moving"])}, "kind must be one of"),
        ({"start_frame": np.array([0.0, np.nan])}, "start_frame must be whole numbers"),
        ({"video": np.array(["../v", "w"])}, "video must be"),
        ({"feature": np.ones(2)}, r"\(N, D\)"),
    ],
)
def test_a_bad_table_is_named(tmp_path, table, words):
    whole = {"video": np.array(["v", "w"]), "feature": np.ones((2, 3))}
    np.savez(tmp_path / "table.npz", **whole | table)
    with pytest.raises(InputError, match=rf"table\.npz.*{words}"):
        write_imported([tmp_path / "table.npz"], tmp_path / "s")


def test_a_video_in_two_files_is_refused_with_both(tmp_path, arrays):
    files = [save(tmp_path / name, arrays) for name in ("x.h5", "y.npz")]
    with pytest.raises(InputError, match=r"'a' in .*x\.h5 and .*y\.npz"):
        write_imported(files, tmp_path / "s")


def test_new_videos_may_be_added_but_none_changed(tmp_path, arrays):
    write_imported([save(tmp_path / "x.h5", arrays)], tmp_path / "s")
    with pytest.raises(InputError, match=r"'a'.*in it already"):
        write_imported([save(tmp_path / "y.h5", {"a": arrays["a"] + 1, "d": arrays["a"]})], tmp_path / "s")
    write_imported([save(tmp_path / "z.h5", {"d": arrays["a"]})], tmp_path / "s")
    assert FeatureStore(tmp_path / "s").videos == ["a", "b", "c", "d"]
    with pytest.raises(InputError, match=r"encoder\.name is 'unknown' there, got 'i3d'"):
        write_imported(
            [save(tmp_path / "w.h5", {"e": arrays["a"]})], tmp_path / "s", settings=ImportSettings("i3d")
        )


def test_an_import_goes_on_with_the_frame_rate_it_began_with(tmp_path, arrays, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("latentveil.store.import_features.SHARD_BYTES", 1)  # a shard for each video
    files, at_25 = [save(tmp_path / "x.h5", arrays)], ImportSettings(fps=25)
    with pytest.raises(KeyboardInterrupt):
        write_imported(files, tmp_path / "s", settings=at_25, on_progress=stop)
    for other, shown in ((ImportSettings(fps=30), "30.0"), (ImportSettings(), "None")):
        with pytest.raises(InputError, match=rf"requested_fps is 25\.0 there, got {shown}"):
            write_imported(files, tmp_path / "s", settings=other)
    assert write_imported(files, tmp_path / "s", settings=at_25).fps == 25


@pytest.mark.parametrize("path", ["nowhere.npy", "notes.txt", "empty_folder"])
def test_what_holds_no_features_is_refused(tmp_path, path):
    (tmp_path / "notes.txt").touch()
    (tmp_path / "empty_folder").mkdir()
    with pytest.raises(InputError, match=path):
        write_imported([tmp_path / path], tmp_path / "s")


@pytest.mark.parametrize(
    "settings", [{"fps": 0.0}, {"fps": float("nan")}, {"stride_frames": 0}, {"dtype": "int8"}]
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        ImportSettings(**settings)


def test_many_videos_are_packed_into_shards_of_whole_videos(tmp_path, monkeypatch):
    monkeypatch.setattr("latentveil.store.import_features.SHARD_BYTES", 10 * 4 * 2)  # ten rows of two numbers
    many = {f"v{number:02}": np.full((3, 2), number, np.float32) for number in range(11)}
    told = []
    manifest = write_imported(
        [save(tmp_path / "x.npz", many)],
        tmp_path / "s",
        on_progress=lambda step: told.append((step.done, step.total)),
    )
    assert sorted(shard.rows for shard in manifest.shards.values()) == [9, 12, 12]
    assert told == [(12, 33), (24, 33), (33, 33)]
    assert FeatureStore(tmp_path / "s").video_array("v07").tolist() == [[7, 7]] * 3


@pytest.mark.parametrize(
    ("name", "videos", "temporal", "static"),
    [("lsa64", 320, 960, 1280), ("urfd", 70, 712, 280), ("utkface", 1001, 0, 1001)],
)
def test_real_features(tmp_path, data_folder, name, videos, temporal, static):
    path = data_folder / "features" / f"{name}.npz"
    write_imported([path], tmp_path / "s", settings=ImportSettings("i3d", fps=30))
    store = FeatureStore(tmp_path / "s")
    assert store.manifest.counts.model_dump() == {
        "videos": videos,
        "clips": temporal + static,
        "temporal": temporal,
        "static": static,
    }
    with np.load(path) as table:
        row = 17
        video, kind, frame = (str(table[column][row]) for column in ("video", "kind", "start_frame"))
        found = store.read(kind, [video])
        np.testing.assert_array_equal(
            found.feature[found.start_frame == int(frame)][0], table["feature"][row]
        )


def test_a_folder_that_cannot_be_looked_into_is_named_with_the_reason(tmp_path, arrays, forbid_folder):
    folder = save(tmp_path / "arrays", {"a": arrays["a"], "sub/b": arrays["b"]})
    forbid_folder("sub")
    with pytest.raises(
        InputError, match=r"arrays/sub must be a folder that can be read, got: Permission denied\."
    ):
        write_imported([folder], tmp_path / "store", settings=ImportSettings())
