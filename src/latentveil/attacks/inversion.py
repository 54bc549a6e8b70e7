"""The inversion attack: a decoder from a feature back to the picture, and how much of a person can be seen in it.

Unlike the other attacks it answers with pictures, so it has a door of its own: ``run_inversion``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from einops import rearrange, reduce
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.decoder import FRAME_SIZE, fit_decoder
from latentveil.attacks.lda import LDA
from latentveil.errors import InputError

# Pixels are averaged to this size before a classifier looks at them: reconstructions are never sharper.
LOOK_SIZE = 16
# The three reconstructions: by a decoder of raw features from raw and from anonymized ones, and by a decoder that was
# trained anew on anonymized ones.
RAW, NON_ADAPTIVE, ADAPTIVE = "raw", "non_adaptive", "adaptive"
# What a decoder that knows nothing gives: the mean training frame.
MEAN_FRAME = "mean_frame"


@dataclass(frozen=True, eq=False)
class InversionPart:
    """Clips with their pictures: ``raw`` and ``anonymized`` (N, D), ``frames`` (N, 64, 64, 3) uint8, ``target`` (N,).

    A frame is the mean of a clip's frames (for a static clip, the frame itself); ``target`` is the secret's class.
    """

    raw: np.ndarray
    anonymized: np.ndarray
    frames: np.ndarray
    target: np.ndarray
    video: np.ndarray

    def __post_init__(self) -> None:
        expected = (len(self.raw), FRAME_SIZE, FRAME_SIZE, 3)
        if self.frames.shape != expected or self.frames.dtype != np.uint8:
            raise InputError(f"frames must be uint8 {expected}, got {self.frames.dtype} {self.frames.shape}.")
        if not len(self.raw) == len(self.anonymized) == len(self.target) == len(self.video) > 0:
            raise InputError(
                "raw, anonymized, frames, target and video must be as long as each other, and not empty."
            )


@dataclass(frozen=True, eq=False)
class InversionResult:
    """Per test clip and kind of reconstruction (raw, non_adaptive, adaptive, mean_frame): how much came back.

    ``psnr``, ``ssim`` and ``correct`` (the classifier named the secret from the picture): {kind: (N,)};
    ``reconstructions`` {kind: (N, 64, 64, 3) uint8}; ``correct_on_originals`` (N,) is the classifier's ceiling.
    """

    psnr: dict[str, np.ndarray]
    ssim: dict[str, np.ndarray]
    correct: dict[str, np.ndarray]
    correct_on_originals: np.ndarray
    originals: np.ndarray
    reconstructions: dict[str, np.ndarray]

    def summary(self) -> dict[str, dict[str, float]]:
        """The means: {kind: {"psnr", "ssim", "accuracy"}}."""
        return {
            kind: {
                "psnr": float(self.psnr[kind].mean()),
                "ssim": float(self.ssim[kind].mean()),
                "accuracy": float(self.correct[kind].mean()),
            }
            for kind in self.psnr
        }


def run_inversion(
    train: InversionPart, validation: InversionPart, test: InversionPart, *, num_classes: int, seed: int
) -> InversionResult:
    """Train the decoders on ``train``, choose them on ``validation``, and reconstruct the frames of ``test``."""
    of_raw = fit_decoder(train.raw, train.frames, validation.raw, validation.frames, seed=seed)
    adaptive = fit_decoder(
        train.anonymized, train.frames, validation.anonymized, validation.frames, seed=seed
    )
    mean_frame = train.frames.mean(axis=0).round().astype(np.uint8)  # (64, 64, 3)
    reconstructions = {
        RAW: of_raw(test.raw),
        ADAPTIVE: adaptive(test.anonymized),
        MEAN_FRAME: np.repeat(mean_frame[None], len(test.raw), axis=0),
    }
    if train.raw.shape[1] == train.anonymized.shape[1]:
        reconstructions[NON_ADAPTIVE] = of_raw(test.anonymized)
    look = _fit_classifier(train, validation, num_classes=num_classes, seed=seed)
    return InversionResult(
        psnr={kind: psnr(test.frames, frames) for kind, frames in reconstructions.items()},
        ssim={kind: ssim(test.frames, frames) for kind, frames in reconstructions.items()},
        correct={kind: look(frames) == test.target for kind, frames in reconstructions.items()},
        correct_on_originals=look(test.frames) == test.target,
        originals=test.frames,
        reconstructions=reconstructions,
    )


def psnr(originals: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Peak signal-to-noise ratio in dB of each pair of uint8 frames (N, H, W, 3) -> (N,); equal frames get 100."""
    error = np.square(originals.astype(np.float64) - others).mean(axis=(1, 2, 3))
    return 10 * np.log10(255.0**2 / np.maximum(error, 255.0**2 * 1e-10))


def ssim(originals: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Structural similarity of each pair of uint8 frames (N, H, W, 3) -> (N,), mean over pixels and channels.

    Wang et al. 2004: Gaussian window of sigma 1.5 over 11 pixels, constants 0.01 and 0.03 of the range.
    """
    a, b = originals.astype(np.float64), others.astype(np.float64)
    mean_a, mean_b = _window_mean(a), _window_mean(b)
    variance_a = _window_mean(a * a) - mean_a**2
    variance_b = _window_mean(b * b) - mean_b**2
    covariance = _window_mean(a * b) - mean_a * mean_b
    luminance, contrast = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    similarity = (2 * mean_a * mean_b + luminance) * (2 * covariance + contrast)
    similarity /= (mean_a**2 + mean_b**2 + luminance) * (variance_a + variance_b + contrast)
    return similarity.mean(axis=(1, 2, 3))


def _window_mean(frames: np.ndarray) -> np.ndarray:
    return gaussian_filter(frames, sigma=(0, 1.5, 1.5, 0), truncate=3.5)


def inversion_picture(result: InversionResult, *, num_columns: int = 8, scale: int = 2) -> bytes:
    """A PNG: a row of originals, then a row for each kind of reconstruction, evenly spaced over the test clips."""
    names = {"original": result.originals, **result.reconstructions}
    columns = np.linspace(0, len(result.originals) - 1, min(num_columns, len(result.originals))).astype(int)
    rows = np.stack([frames[columns] for frames in names.values()])  # (R, K, 64, 64, 3)
    grid = rearrange(rows, "r k h w c -> (r h) (k w) c").repeat(scale, axis=0).repeat(scale, axis=1)
    label_width, row_height = 96, FRAME_SIZE * scale
    picture = Image.new("RGB", (label_width + grid.shape[1], grid.shape[0]), "white")
    picture.paste(Image.fromarray(grid), (label_width, 0))
    draw = ImageDraw.Draw(picture)
    for number, name in enumerate(names):
        place = (6, number * row_height + row_height // 2 - 8)
        draw.text(place, name.replace("_", " "), fill="black", font_size=14)
    buffer = BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


def _fit_classifier(
    train: InversionPart, validation: InversionPart, *, num_classes: int, seed: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Somebody who knows the originals and looks at a picture: frames (N, 64, 64, 3) -> classes (N,)."""
    parts = [LabelledFeatures(_look(part.frames), part.target, part.video) for part in (train, validation)]
    fitted = LDA().fit(AttackerKnowledge(parts[0], parts[1], num_classes), seed=seed)
    return lambda frames: fitted.probabilities(_look(frames)).argmax(axis=1)


def _look(frames: np.ndarray) -> np.ndarray:
    """Frames as coarse pixels (N, D) float32."""
    factor = FRAME_SIZE // LOOK_SIZE
    return reduce(frames.astype(np.float32), "n (h f) (w g) c -> n (h w c)", "mean", f=factor, g=factor)
