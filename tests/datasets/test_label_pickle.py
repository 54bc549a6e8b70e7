"""Pickled labels: every way numpy writes an array is read, and nothing else gets through."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict

import numpy as np
import pytest

from latentveil.datasets.label_pickle import read_label_pickle
from latentveil.errors import InputError


class Harm:
    def __reduce__(self):
        return os.mkdir, ("harmed",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ["float64", "int64", ">i4", "uint8", "bool"])
def test_arrays_of_every_protocol_are_read(tmp_path, protocol, dtype):
    labels = {"a": np.array([[1, 0, 1]], dtype=dtype), "b": np.array([0, 1, 1], dtype=dtype)}
    path = tmp_path / "labels.pickle"
    path.write_bytes(pickle.dumps(labels, protocol=protocol))
    found = read_label_pickle(path)
    assert {name: values.tolist() for name, values in found.items()} == {"a": [1, 0, 1], "b": [0, 1, 1]}


def test_numbers_are_read(tmp_path):
    path = tmp_path / "labels.pickle"
    path.write_bytes(pickle.dumps({"a": 1, "b": np.float32(0.5)}))
    assert {name: values.tolist() for name, values in read_label_pickle(path).items()} == {
        "a": [1],
        "b": [0.5],
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"a": Harm()}, "arrays, text and numbers only, got posix.mkdir"),
        (Harm(), "arrays, text and numbers only"),
        ({"a": np.array([Harm()], dtype=object)}, "arrays of numbers, got 'O8'|only, got posix.mkdir"),
        ({"a": np.array([1, "x"], dtype=object)}, "arrays of numbers, got 'O8'"),
        ({"a": np.array(["x"])}, "arrays of numbers"),
        ({"a": np.zeros(2, dtype=[("x", "f4")])}, "arrays of numbers"),
        (OrderedDict(a=1), "only, got collections.OrderedDict"),
        ({"a": [1, 2]}, "must have an array for each name, got list"),
        ({1: np.zeros(2)}, "text as keys, got 1"),
        ([np.zeros(2)], "must be a dict, got list"),
        (np.ndarray, "must be a dict"),
    ],
)
def test_anything_else_is_refused(tmp_path, monkeypatch, content, words):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "labels.pickle"
    path.write_bytes(pickle.dumps(content))
    with pytest.raises(InputError, match=words):
        read_label_pickle(path)
    assert not (tmp_path / "harmed").exists()


@pytest.mark.parametrize("content", [b"", b"text", pickle.dumps({"a": np.zeros(3)})[:-20]])
def test_a_file_that_is_cut_or_no_pickle_is_refused(tmp_path, content):
    path = tmp_path / "labels.pickle"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"labels\.pickle"):
        read_label_pickle(path)


def test_an_array_that_promises_more_than_it_brings_is_refused(tmp_path):
    path = tmp_path / "labels.pickle"
    honest = pickle.dumps({"a": np.zeros(3, dtype=np.int8)}, protocol=2)
    path.write_bytes(honest.replace(b"K\x03\x85", b"K\xff\x85", 1))
    with pytest.raises(InputError, match="whole arrays"):
        read_label_pickle(path)
