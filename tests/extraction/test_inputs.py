from pathlib import Path

import pytest

from latentveil.actors.sets.write import write_dataset
from latentveil.errors import InputError
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.labels import Labels


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_a_folder_is_searched_by_extension_and_keys_are_paths_in_it(tmp_path):
    touch(tmp_path, "b.MP4", "run/a.avi", "run/deep/c.jpg", "notes.md", "labels.csv")
    assert collect_videos([tmp_path]) == [
        VideoInput("b", tmp_path / "b.MP4"),
        VideoInput("run/a", tmp_path / "run/a.avi"),
        VideoInput("run/deep/c", tmp_path / "run/deep/c.jpg"),
    ]


def test_a_file_has_its_stem_as_key_whatever_its_extension(tmp_path):
    touch(tmp_path, "film.v2.mp4", "raw.h264")
    found = collect_videos([tmp_path / "raw.h264", tmp_path / "film.v2.mp4"])
    assert [video.video for video in found] == ["film.v2", "raw"]


def test_text_lists_are_relative_to_themselves(tmp_path):
    touch(tmp_path, "run/a.avi", "b.mp4")
    (tmp_path / "list.txt").write_text("run/a.avi\n\n  b.mp4  \nmissing.mp4\n")
    assert collect_videos([tmp_path / "list.txt"]) == [
        VideoInput("b", tmp_path / "b.mp4"),
        VideoInput("missing", tmp_path / "missing.mp4"),
        VideoInput("run/a", tmp_path / "run/a.avi"),
    ]


def test_csv_lists_name_paths_or_videos_beside_them(tmp_path):
    touch(tmp_path, "x/1.mp4", "x/2.mp4")
    (tmp_path / "paths.csv").write_text("video,path\nfirst,x/1.mp4\nsecond,x/2.mp4\n")
    assert [video.video for video in collect_videos([tmp_path / "paths.csv"])] == ["first", "second"]
    (tmp_path / "x" / "labels.csv").write_text("video,split\n1,train\n2,test\n3,test\n")
    assert collect_videos([tmp_path / "x" / "labels.csv"]) == [
        VideoInput("1", tmp_path / "x/1.mp4"),
        VideoInput("2", tmp_path / "x/2.mp4"),
        VideoInput("3", tmp_path / "x/3"),
    ]


def test_two_files_with_one_key_are_refused_and_one_file_named_twice_is_not(tmp_path):
    touch(tmp_path, "x/a.mp4", "y/a.avi")
    with pytest.raises(InputError, match=r"'a' for .*x/a.mp4 and .*y/a.avi"):
        collect_videos([tmp_path / "x", tmp_path / "y"])
    assert len(collect_videos([tmp_path / "x", tmp_path / "x" / "a.mp4"])) == 1


def test_a_list_that_names_a_video_with_a_thumbnail_is_refused_and_one_that_does_not_is_taken(tmp_path):
    touch(tmp_path, "a.jpg", "a.mp4", "b.mp4")
    (tmp_path / "labels.csv").write_text("video,split\na,train\nb,test\n")
    with pytest.raises(InputError, match=r"'a' for .*a\.jpg and .*a\.mp4"):
        collect_videos([tmp_path / "labels.csv"])
    (tmp_path / "labels.csv").write_text("video,split\nb,test\n")
    assert collect_videos([tmp_path / "labels.csv"]) == [VideoInput("b", tmp_path / "b.mp4")]


def test_what_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.mp4 must be a video"):
        collect_videos([tmp_path / "nothing.mp4"])
    with pytest.raises(InputError, match="must hold video or image files"):
        collect_videos([tmp_path])
    with pytest.raises(InputError, match="at least one"):
        collect_videos([])
    (tmp_path / "list.csv").write_text("name,split\na,train\n")
    with pytest.raises(InputError, match=r"list\.csv must have a column 'path' or 'video', got name, split"):
        collect_videos([tmp_path / "list.csv"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("list.csv", b"video,path\na,a.mp4\nb\n", "must name a file in line 3, got nothing"),
        ("list.csv", b"video,path\na,a.mp4\nb, \n", "must name a file in line 3"),
        ("list.csv", b"path,split\n.,train\n", r"must name a file in line 2, got \."),
        ("list.csv", b"split,video\ntrain,a\ntest\n", "must name a file in line 3"),
        ("list.csv", b"path\na.mp4\ncaf\xe9.mp4\n", "must be UTF-8 text, got other bytes in line 3"),
        ("list.txt", b"a.mp4\n\ncaf\xe9.mp4\n", "must be UTF-8 text, got other bytes in line 3"),
        ("list.txt", b"a.mp4\n\n..\n/\n", "must name a file in line 4"),
        ("list.csv", b"name\na,b,c\n", "must have a column 'path' or 'video', got name"),
        ("list.csv", b"path\n" + b"a" * 200_000, "must be a CSV list, got after line 1: field larger"),
    ],
)
def test_a_list_that_cannot_be_read_is_named_with_the_line(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name} {words}"):
        collect_videos([tmp_path / name])


def test_lines_of_a_list_may_be_empty_or_hold_more_than_the_columns(tmp_path):
    (tmp_path / "list.csv").write_text("path,video\r\n\r\na.mp4,first,more\r\nb.mp4\r\n")
    assert [video.video for video in collect_videos([tmp_path / "list.csv"])] == ["b", "first"]


@pytest.mark.parametrize(("task", "folder"), [("action", "videos"), ("images", "images")])
def test_what_veil_actors_wrote_is_read_by_its_labels(tmp_path, task, folder):
    root = write_dataset(tmp_path / "actors", task=task, num_videos=3, size=32)
    found = collect_videos([root])
    assert [video.video for video in found] == sorted(Labels.read(root / "labels.csv").video)
    assert all(video.path.is_file() and video.path.parent == root / folder for video in found)
    assert (root / "contact_sheet.png").is_file(), "and yet it is no video"
    assert collect_videos([root / folder]) == found


def test_a_folder_with_a_list_of_its_videos_is_read_by_it(tmp_path):
    touch(tmp_path, "a.mp4", "b.mp4", "deep/c.mp4", "sheet.png")
    (tmp_path / "labels.csv").write_text("video,split\na,train\ndeep/c,test\nlost,test\n")
    assert collect_videos([tmp_path]) == [
        VideoInput("a", tmp_path / "a.mp4"),
        VideoInput("deep/c", tmp_path / "deep/c.mp4"),
    ]
    (tmp_path / "videos.csv").write_text("video,path\nfirst,b.mp4\nlost,c.mp4\n")
    assert collect_videos([tmp_path]) == [
        VideoInput("first", tmp_path / "b.mp4"),
        VideoInput("lost", tmp_path / "c.mp4"),
    ]


def test_a_folder_whose_labels_name_none_of_its_files_is_refused(tmp_path):
    touch(tmp_path, "a.mp4")
    (tmp_path / "labels.csv").write_text("video,split\nother,train\n")
    with pytest.raises(
        InputError, match=r"labels\.csv must name files that are there, got none of its 1 videos"
    ):
        collect_videos([tmp_path])


def test_a_csv_file_that_lists_no_videos_leaves_a_folder_plain(tmp_path):
    touch(tmp_path, "a.mp4")
    (tmp_path / "labels.csv").write_text("name,split\nother,train\n")
    assert collect_videos([tmp_path]) == [VideoInput("a", tmp_path / "a.mp4")]


def test_a_list_in_a_folder_with_a_huge_first_line_is_refused(tmp_path):
    (tmp_path / "videos.csv").write_text("video," + "a" * 200_000 + "\n")
    with pytest.raises(InputError, match="must be a CSV list"):
        collect_videos([tmp_path])


def test_two_files_of_one_key_are_named_though_no_system_takes_the_name_of_one(tmp_path):
    (tmp_path / "a.mp4").touch()
    (tmp_path / "videos.csv").write_text("video,path\nfirst,a.mp4\nfirst,b\0.mp4\n")
    with pytest.raises(InputError, match="every video must have its own key, got 'first'"):
        collect_videos([tmp_path / "videos.csv"])
