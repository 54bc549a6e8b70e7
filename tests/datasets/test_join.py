"""Several prepared sets as one: nothing is lost, nothing is taken for something else."""

import json

import pytest

from latentveil.datasets import DATA_SETS
from latentveil.datasets.join import join
from latentveil.datasets.prepare import prepare
from latentveil.errors import InputError
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import Labels, read_segments


@pytest.fixture
def prepared(miniature, tmp_path):
    """Folders of three sets by name."""
    found = {}
    for name in ("ucf_crime", "vispr", "hmdb51"):
        found[name] = tmp_path / "prepared" / name
        prepare(DATA_SETS.get(name), miniature(name), found[name])
    return found


def test_labels_segments_and_files_of_all_sets_are_in_one_folder(prepared, tmp_path):
    written = join([prepared["ucf_crime"], prepared["vispr"]], tmp_path / "both" / "here")
    assert [path.name for path in written.files] == ["labels.csv", "segments.csv", "videos.csv"]
    labels = Labels.read(tmp_path / "both" / "here" / "labels.csv")
    parts = {name: Labels.read(prepared[name] / "labels.csv") for name in ("ucf_crime", "vispr")}
    assert labels.video.tolist() == [*parts["ucf_crime"].video, *parts["vispr"].video]
    assert labels.split.tolist() == [*parts["ucf_crime"].split, *parts["vispr"].split]
    assert set(labels.column("set")) == {"ucf_crime", "vispr"}
    assert set(labels.lookup("a4_gender", parts["ucf_crime"].video)) == {""}
    assert read_segments(tmp_path / "both" / "here" / "segments.csv") == read_segments(
        prepared["ucf_crime"] / "segments.csv"
    )
    videos = collect_videos([tmp_path / "both" / "here"])
    assert [one.video for one in videos] == sorted(labels.video)
    assert all(one.path.is_file() for one in videos)


def test_what_cannot_be_told_apart_is_refused(prepared, miniature, tmp_path):
    with pytest.raises(InputError, match="folders must be two or more, got 1"):
        join([prepared["vispr"]], tmp_path / "out")
    with pytest.raises(InputError, match="folders must have different names, got vispr"):
        join([prepared["vispr"], prepared["vispr"]], tmp_path / "out")
    with pytest.raises(InputError, match=r"without dataset\.json. Prepare it first"):
        join([prepared["vispr"], tmp_path], tmp_path / "out")
    prepare(DATA_SETS.get("vp_hmdb51"), miniature("vp_hmdb51"), tmp_path / "vp")
    with pytest.raises(
        InputError, match=r"every video must be of one set, got 'brush_hair/.*hmdb51 and vp_hmdb51"
    ):
        join([prepared["hmdb51"], tmp_path / "vp"], tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "labels.csv").write_text("video,split\n")
    with pytest.raises(InputError, match="output must be a new folder"):
        join([prepared["hmdb51"], prepared["vispr"]], tmp_path / "mine")
    assert not (tmp_path / "out").exists()


def test_the_folder_says_what_it_is_made_of(prepared, tmp_path):
    join([prepared["hmdb51"], prepared["vispr"]], tmp_path / "out")
    assert json.loads((tmp_path / "out" / "dataset.json").read_text())["data_set"] == "hmdb51+vispr"


def test_sets_may_be_named(miniature, tmp_path):
    """Two sets of one's own are both read as `csv`."""
    for name in ("csv", "actors"):
        prepare(DATA_SETS.get("csv"), miniature(name), tmp_path / name)
    join([f"mine={tmp_path / 'csv'}", tmp_path / "actors"], tmp_path / "out")
    labels = Labels.read(tmp_path / "out" / "labels.csv")
    assert dict(zip(labels.video.tolist(), labels.column("set").tolist())) == {
        "first": "mine",
        "second": "mine",
        "a": "csv",
        "b": "csv",
    }
