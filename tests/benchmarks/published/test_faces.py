"""Pairs of faces are two views of people whom no grader is tested on, beside the clips of the videos."""

import av
import numpy as np
import pytest

from benchmarks.published.cells import NARROW, planned
from benchmarks.published.data import ATTRIBUTES, Videos
from benchmarks.published.faces import FACES, extract_faces, load_face_pairs, load_faces
from latentveil.errors import InputError

SPLITS = {"a": "train", "b": "val", "c": "test"}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    pictures = folder / "utkface"
    pictures.mkdir()
    attributes = ATTRIBUTES["utkface"]
    lines = [",".join(["video", "split", *(f"secret_{name}" for name in attributes)])]
    for number, (name, split) in enumerate(reversed(SPLITS.items())):  # not in the order of the files
        save_picture(pictures / f"{name}.png", seed=number)
        lines.append(",".join([name, split, str(number % 2), *["0"] * (len(attributes) - 1)]))
    (pictures / "labels.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def extracted(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("extracted")
    extract_faces(data, folder, encoder="tiny", say=lambda _: None)
    return folder


def save_picture(path, *, seed):
    random = np.random.default_rng(seed)
    pixels = np.full((40, 40, 3), random.integers(256, size=3), dtype=np.uint8)  # a colour for each
    pixels[:20] = random.integers(256, size=3)
    with av.open(str(path), "w", format="image2") as file:
        stream = file.add_stream("png")
        stream.width, stream.height, stream.pix_fmt = 40, 40, "rgb24"
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        for packet in [*stream.encode(frame), *stream.encode()]:
            file.mux(packet)


def test_pairs_are_two_views_of_faces_that_are_not_tested(data, extracted):
    pairs = load_face_pairs(data, extracted)
    assert pairs.shape[:2] == (2, 2)  # a and b
    plain = load_faces(data, extracted)
    of_face = {name: plain.feature[plain.video == name][0] for name in SPLITS}
    for pair, name in zip(pairs, ("a", "b")):
        assert not np.array_equal(pair[0], pair[1])
        nearest = min(of_face, key=lambda other: np.linalg.norm(pair.mean(axis=0) - of_face[other]))
        assert nearest == name


def test_faces_have_their_own_labels(data, extracted):
    faces = load_faces(data, extracted)
    split = dict(zip(faces.video.tolist(), faces.split.tolist()))
    gender = dict(zip(faces.person.tolist(), faces.target[:, 0].tolist()))
    assert split == SPLITS
    assert gender == {"c": 0, "b": 1, "a": 0}


def test_pairs_stand_beside_clips():
    pairs = np.arange(3 * 2 * 8, dtype=np.float32).reshape(3, 2, 8)
    videos = Videos(np.zeros((2, 1, 8)), np.zeros((2, 2, 8)), np.array([0, 1]), np.array(["p", "q"]))
    both = videos.with_pairs(pairs)
    np.testing.assert_array_equal(both.stills, pairs)
    assert both.action.tolist() == [0, 1, 0]


def test_of_faces_only_the_arms_that_decide_are_planned():
    assert {cell.arm for cell in planned(FACES, (0, 1))} == {"raw", "released", "random"}
    assert len(planned(FACES, (0, 1))) == 6 + 3  # and a pilot, which quick runs are of
    assert any(cell.space == NARROW for cell in planned(FACES, (0,)))


def test_missing_pictures_are_named(tmp_path):
    with pytest.raises(InputError, match="pictures of utkface"):
        extract_faces(tmp_path, tmp_path)
