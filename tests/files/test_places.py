from pathlib import Path

import pytest

from latentveil.errors import InputError
from latentveil.files.place_files import local_file, local_folder
from latentveil.files.places import RemotePath, as_place, beside, file_system, files_below, path_within


@pytest.mark.parametrize("given", ["s3://bucket/a/b", Path("s3://bucket/a/b"), "S3://bucket/a/b/"])
def test_a_url_is_a_place_even_where_a_path_was_made_of_it(given):
    assert as_place(given) == RemotePath("s3", "bucket/a/b")
    assert str(as_place(given)) == "s3://bucket/a/b"


@pytest.mark.parametrize("given", ["a/b", "/a/b", "C:/a", "odd:/name", "with space/x"])
def test_a_local_path_stays_a_path(given):
    assert as_place(given) == Path(given)
    assert as_place(f"file://{Path('/') / given}") == Path("/") / given


def test_places_speak_the_words_of_pathlib():
    place = as_place("memory://words/a/b.tar.mp4")
    assert (place.name, place.stem, place.suffix, str(place.parent)) == (
        "b.tar.mp4", "b.tar", ".mp4", "memory://words/a",
    )  # fmt: skip
    assert path_within(place, place.parent.parent).as_posix() == "a/b.tar.mp4"
    assert place.parent / "" == place.parent


def test_a_list_may_name_files_beside_it_elsewhere_and_behind_urls():
    folder = as_place("memory://lists")
    assert str(beside(folder, "a.mp4")) == "memory://lists/a.mp4"
    assert beside(folder, "/disk/a.mp4") == Path("/disk/a.mp4")
    assert str(beside(Path("here"), "s3://bucket/a.mp4")) == "s3://bucket/a.mp4"


def test_files_are_found_copied_here_and_sent_back():
    folder = as_place("memory://copies")
    (folder / "deep" / "a.MP4").write_bytes(b"video")
    (folder / "b.txt").write_bytes(b"text")
    (found,) = files_below(folder, {".mp4"})
    with local_file(found) as copy:
        assert copy.name == "a.MP4"
        assert copy.read_bytes() == b"video"
    assert not copy.exists()
    with local_folder(folder, upload=True) as here:
        assert (here / "deep" / "a.MP4").read_bytes() == b"video"
        (here / "new.txt").write_text("new")
    assert (folder / "new.txt").read_bytes() == b"new"


def test_a_protocol_without_its_package_says_what_to_install(monkeypatch):
    def missing(*_, **__):
        raise ImportError("no s3fs")

    monkeypatch.setattr("fsspec.filesystem", missing)
    file_system.cache_clear()
    with pytest.raises(InputError, match=r"pip install latentveil\[s3\]"):
        as_place("s3://bucket/a").exists()
    file_system.cache_clear()
