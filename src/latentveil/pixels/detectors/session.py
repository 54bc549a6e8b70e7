"""ONNX models of detectors: opened with sides of any length, run on the CPU."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from latentveil.errors import InputError


def open_session(path: Path, *, any_size: bool = False) -> Any:
    """An ONNX Runtime session of the model at ``path``; with ``any_size`` its sizes are freed first."""
    runtime = require_faces("onnxruntime")
    model: Any = str(path)
    if any_size:
        onnx = require_faces("onnx")
        graph = onnx.load(path)
        weights = {one.name for one in graph.graph.initializer}
        for value in (*(one for one in graph.graph.input if one.name not in weights), *graph.graph.output):
            for axis, name in ((0, "b"), (2, "h"), (3, "w")):
                value.type.tensor_type.shape.dim[axis].dim_param = f"{value.name}_{name}"
        model = graph.SerializeToString()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"], enable_fallback=0)
    except Exception as error:  # ONNX Runtime has an exception of its own for each cause
        raise InputError(f"{path} must be an ONNX model that can be run, got: {error}.") from error


def require_faces(package: str) -> Any:
    """A package of the extra `faces`, or an error that says how to get it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise InputError(
            f"detectors must have the package {package}, got none. Run `pip install latentveil[faces]`."
        ) from error
