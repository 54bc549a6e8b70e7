"""Research data become folders that a bench takes; what is in them is what the files say."""

import numpy as np
import pytest

from benchmarks.prepare_real import SETS, main
from latentveil.bench.data import BenchData, load_bench_data
from latentveil.errors import InputError
from latentveil.labels import Labels, read_segments
from latentveil.store import FeatureStore
from latentveil.types import KINDS
from latentveil.video.write import write_video


@pytest.fixture
def research(toy, tmp_path, monkeypatch):
    """A small LATENTVEIL_DATA with one set of signers."""
    folder = tmp_path / "research"
    (folder / "features").mkdir(parents=True)
    (folder / "lsa64").mkdir()
    toy.labels.write(folder / "lsa64" / "labels.csv")
    columns = {name: getattr(toy.features, name) for name in ("video", "kind", "start_frame", "feature")}
    np.savez(folder / "features" / "lsa64.npz", **columns)
    monkeypatch.setenv("LATENTVEIL_DATA", str(folder))
    return folder


def test_a_set_becomes_a_folder_for_the_bench_and_is_imported_once(toy, research, tmp_path):
    for _ in range(2):
        main([str(tmp_path / "data"), "--sets", "lsa64"])
    features, labels = load_bench_data(tmp_path / "data" / "lsa64")
    assert labels.video.tolist() == toy.labels.video.tolist()
    for kind in KINDS:
        stored, given = (found.of_kind(kind).of_videos(["p00_a0_r0"]) for found in (features, toy.features))
        np.testing.assert_array_equal(stored.feature, given.feature)
    assert FeatureStore(tmp_path / "data" / "lsa64" / "raw.store").manifest.encoder.name == "i3d"


@pytest.fixture
def films(tmp_path):
    """A set of two short videos with labels in a LATENTVEIL_DATA of its own."""
    folder = tmp_path / "filmed" / "lsa64"
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    for name in ("signer1", "signer2"):
        write_video(
            folder / f"{name}.mp4", random.integers(0, 255, (20, 128, 144, 3), dtype=np.uint8), fps=10
        )
    Labels(np.array(["signer1", "signer2"]), np.array(["train", "test"])).write(folder / "labels.csv")
    return folder


def test_two_sets_become_one_folder_that_tells_them_apart(toy, research, tmp_path):
    renamed = np.char.add("face-", toy.features.video)
    columns = {name: getattr(toy.features, name) for name in ("kind", "start_frame", "feature")}
    np.savez(research / "features" / "utkface.npz", video=renamed, **columns)
    (research / "utkface").mkdir()
    faces = Labels(
        np.unique(renamed), np.full(len(toy.labels.video), "test"), columns={"age": toy.labels.split}
    )
    faces.write(research / "utkface" / "labels.csv")
    main([str(tmp_path), "--sets", "lsa64+utkface"])
    features, labels = load_bench_data(tmp_path / "lsa64+utkface")
    assert len(features) == 2 * len(toy.features)
    assert set(zip(labels.column("set"), np.char.startswith(labels.video, "face-"))) == {
        ("lsa64", False),
        ("utkface", True),
    }
    assert set(labels.column("action")[labels.column("set") == "utkface"]) == {""}


def test_what_is_missing_is_named(research, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"must hold features/peta\.npz"):
        main([str(tmp_path / "data"), "--sets", "peta"])
    monkeypatch.delenv("LATENTVEIL_DATA")
    with pytest.raises(InputError, match="LATENTVEIL_DATA must name the folder"):
        main([str(tmp_path / "data")])


def test_a_set_with_its_videos_is_encoded_here(films, tmp_path, monkeypatch):
    """The videos stay where they are: of real people no copy is made."""
    monkeypatch.setenv("LATENTVEIL_DATA", str(films.parent))
    for _ in range(2):
        main([str(tmp_path / "data"), "--sets", "lsa64_videos"])
    data = BenchData.load(tmp_path / "data" / "lsa64_videos")
    assert data.videos is not None
    assert {path.resolve() for path in data.videos.files().values()} == set(films.glob("*.mp4"))
    assert data.features.videos == sorted(data.labels.video.tolist()) == ["signer1", "signer2"]
    assert [int(np.sum(data.features.kind == kind)) for kind in KINDS] == [4, 4]


def test_a_film_that_cannot_be_read_is_told(films, tmp_path, monkeypatch):
    (films / "signer2.mp4").write_bytes(b"no video")
    monkeypatch.setenv("LATENTVEIL_DATA", str(films.parent))
    with pytest.raises(InputError, match="every video must be readable"):
        main([str(tmp_path / "data"), "--sets", "lsa64_videos"])
    assert not (tmp_path / "data" / "lsa64_videos" / "labels.csv").exists()


@pytest.mark.parametrize("name", SETS)
def test_every_real_set_can_be_prepared(name, data_folder, tmp_path):
    main([str(tmp_path), "--sets", name])
    folder = tmp_path / name
    labels = Labels.read(folder / "labels.csv")
    stored = set(FeatureStore(folder / "raw.store").videos)
    assert len(stored & set(labels.video)) > 0.95 * len(labels.video)
    if name == "urfd":
        assert set(read_segments(folder / "segments.csv")) <= set(labels.video)
