from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.labels import Labels

CSV = """\
video,split,person,action,secret_gender
a,train,p1,walk,0
b,test,p2,run,1
c,train,p1,"sit, then stand",1
"""


@pytest.fixture
def labels(tmp_path) -> Labels:
    (tmp_path / "labels.csv").write_text(CSV)
    return Labels.read(tmp_path / "labels.csv")


def test_columns_are_found_by_name(labels):
    assert labels.videos("train") == ["a", "c"]
    assert labels.videos("val") == []
    assert labels.secrets == ["gender"]
    assert labels.column("gender").tolist() == labels.column("secret_gender").tolist() == ["0", "1", "1"]
    assert labels.column("identity").tolist() == labels.column("person").tolist() == ["p1", "p2", "p1"]
    assert labels.lookup("action", ["c", "a", "c"]).tolist() == ["sit, then stand", "walk", "sit, then stand"]
    assert labels.lookup("split", np.array(["b"])).tolist() == ["test"]
    assert labels.lookup("split", []).tolist() == []


def test_videos_without_a_name_are_groups_of_their_own():
    video, split = np.array(["a", "b", "c", "d"]), np.array(["train"] * 4)
    assert Labels(video, split).groups.tolist() == ["a", "b", "c", "d"]
    groups = Labels(video, split, person=np.array(["a", "", "a", ""])).groups
    assert len(set(groups)) == 3
    assert groups[0] == groups[2]


def test_only_keeps_the_order_of_the_file(labels):
    kept = labels.only(["c", "a", "unknown"])
    assert kept.video.tolist() == ["a", "c"]
    assert kept.lookup("gender", ["c"]).tolist() == ["1"]
    assert len(labels.only([]).video) == 0


def test_a_recording_is_neither_a_task_nor_a_secret_and_may_be_blank(tmp_path):
    (tmp_path / "labels.csv").write_text(
        "video,split,person,recording,action\na,train,p1,monday,walk\nb,test,p1,,run\n"
    )
    labels = Labels.read(tmp_path / "labels.csv")
    assert labels.recording.tolist() == labels.column("recording").tolist() == ["monday", ""]
    assert list(labels.columns) == ["action"]
    assert labels.secrets == []
    assert labels.only(["a"]).lookup("recording", ["a"]).tolist() == ["monday"]
    labels.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "labels.csv").read_text()
    with pytest.raises(InputError, match="'recording'"):
        Labels(labels.video, labels.split).column("recording")


def test_what_the_labels_lack_is_named(labels):
    with pytest.raises(InputError, match="'hat', got person, action, secret_gender"):
        labels.column("hat")
    with pytest.raises(InputError, match=r"none for 'z' \(2 missing\)"):
        labels.lookup("action", np.array(["a", "z", "y"]))
    with pytest.raises(InputError, match="split must be one of train, val, test, got 'all'"):
        labels.videos("all")
    with pytest.raises(InputError, match="'person'"):
        Labels(labels.video, labels.split).column("identity")


def test_columns_of_another_length_are_refused(labels):
    with pytest.raises(InputError, match="action must have 3 values like video, got 2"):
        Labels(labels.video, labels.split, columns={"action": np.array(["x", "y"])})


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=6)


@given(
    videos=st.lists(texts.filter(bool), min_size=1, max_size=5, unique=True),
    data=st.data(),
)
def test_labels_survive_the_disk(tmp_path_factory, videos, data):
    columns = {name: np.array([data.draw(texts) for _ in videos]) for name in ("action", "secret_hat")}
    split = np.array([data.draw(st.sampled_from(["train", "val", "test"])) for _ in videos])
    person = np.array([data.draw(texts) for _ in videos]) if data.draw(st.booleans()) else None
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    Labels(np.array(videos), split, person, columns).write(path)
    again = Labels.read(path)
    assert again.video.tolist() == videos
    assert again.split.tolist() == split.tolist()
    assert (again.person is None) == (person is None)
    assert person is None or again.person.tolist() == person.tolist()
    assert {name: values.tolist() for name, values in again.columns.items()} == {
        name: values.tolist() for name, values in columns.items()
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"video,split\n", "at least one row"),
        (b"", "must have the columns video, split"),
        (b"video,action\na,walk\n", "must have the columns video, split"),
        (b"video,split\na,train\na,test\n", "unique, got 'a' twice"),
        (b"video,split\na,training\n", "got 'training'"),
        (b"video,split\na\n", "line 2 must have 2 values"),
        (b"video,split\na,train,x\n", "line 2 must have 2 values"),
        (b"video,split,split\na,train,test\n", "each column once"),
        (b"video,split\n\xff\xfe,train\n", "UTF-8"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path, content, words):
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(InputError, match=rf"bad\.csv.*{words}"):
        Labels.read(tmp_path / "bad.csv")


def test_no_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path):
        with pytest.raises(InputError, match="must be a CSV file"):
            Labels.read(path)


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    (tmp_path / "excel.csv").write_bytes(b"\xef\xbb\xbfvideo,split\r\na,train\r\n")
    assert Labels.read(tmp_path / "excel.csv").videos("train") == ["a"]


def test_a_dictionary_of_columns_becomes_labels():
    labels = Labels.from_table(
        {
            "video": ["a", "b"],
            "split": ["train", "test"],
            "secret_gender": [0.0, float("nan")],
            "seen": [True, False],
        }
    )
    assert labels.column("gender").tolist() == ["0", ""]
    assert labels.column("seen").tolist() == ["1", "0"]


def test_a_table_of_another_library_becomes_labels():
    import pyarrow as pa

    table = pa.table({"video": ["a", "b"], "split": ["train", "val"], "action": ["run", None]})
    assert Labels.from_table(table).column("action").tolist() == ["run", ""]


@pytest.mark.parametrize("other", ["hat", "person", "identity", "split"])
def test_a_secret_that_is_called_like_another_column_is_refused(other):
    """The other column was audited in its place, and the secret by nobody."""
    table = {"video": ["a", "b"], "split": ["train", "test"], "person": ["x", "y"], "hat": ["0", "1"]}
    with pytest.raises(InputError, match=f"secret_{other} must not share its name with another column"):
        Labels.from_table(table | {f"secret_{other}": ["0", "1"]})


class _NotAvailable:
    """The NA of pandas, as far as it matters here: it does not say whether it differs from itself."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def test_a_value_that_is_not_available_is_a_blank():
    na = _NotAvailable()
    table = {"video": ["a", "b", "c"], "split": ["train", "val", "test"], "action": ["run", na, None]}
    assert Labels.from_table(table).column("action").tolist() == ["run", "", ""]


def test_bytes_are_text():
    """HDF5 files hand them over."""
    table = {"video": np.array([b"a", b"b"]), "split": np.array([b"train", b"val"], dtype=object)}
    assert Labels.from_table(table).videos("train") == ["a"]


def test_without_a_split_people_are_dealt_out_and_nobody_is_in_two():
    person = np.repeat([f"p{number}" for number in range(10)], 3)
    labels = Labels.from_table({"person": person})
    assert labels.video.tolist() == [str(number) for number in range(30)]
    splits = {name: set(labels.person[labels.split == name]) for name in ("train", "val", "test")}
    assert [len(splits[name]) for name in ("train", "val", "test")] == [6, 2, 2]
    assert not splits["train"] & splits["test"]
    again = Labels.from_table({"person": person})
    assert again.split.tolist() == labels.split.tolist()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "at least one column"),
        (3, "a table or a dictionary of columns, got int"),
        ({"video": ["a", "a"], "split": ["train", "test"]}, "video must be unique, got 'a' twice"),
        ({"video": ["a", "b"], "split": ["train"]}, "split must have 2 values like video, got 1"),
        ({"person": ["x", "y"]}, "split must be given for fewer than 3 people"),
        ({"action": [["run"], ["walk"]]}, r"action must be a column of single values, got shape \(2, 1\)"),
    ],
)
def test_tables_that_are_no_labels_are_refused(table, said):
    with pytest.raises(InputError, match=said):
        Labels.from_table(table)


def test_labels_say_what_they_hold_in_a_line(labels):
    assert repr(labels) == "Labels(3 videos: 2 train, 0 val, 1 test; columns person, action, secret_gender)"
