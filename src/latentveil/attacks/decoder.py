"""Decoders from a feature to a 64 px frame: ridge regression onto pixels, and a convolutional network."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch
from einops import rearrange
from einops.layers.torch import Rearrange
from torch import Tensor, nn

from latentveil.attacks.preprocess import Transform, fit_preprocessing, principal_axes

# Features (N, D) -> frames (N, 64, 64, 3) uint8.
Decoder = Callable[[np.ndarray], np.ndarray]

FRAME_SIZE = 64
# Shares of the mean variance of the features.
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
NETWORK_DIMENSIONS = 256
MAX_EPOCHS, PATIENCE_EPOCHS, BATCH, LEARNING_RATE = 15, 3, 32, 2e-3


def fit_decoder(
    train_feature: np.ndarray,
    train_frames: np.ndarray,
    validation_feature: np.ndarray,
    validation_frames: np.ndarray,
    *,
    seed: int,
) -> Decoder:
    """The decoder with the least squared error on validation frames.

    Shapes: features (N, D), frames (N, 64, 64, 3) uint8.
    """

    def validation_error(decoder: Decoder) -> float:
        return float(np.square(decoder(validation_feature).astype(np.float32) - validation_frames).mean())

    candidates = list(_ridge_path(train_feature, train_frames))
    if len(principal_axes(train_feature - train_feature.mean(axis=0)).variance):
        parts = (train_feature, train_frames), (validation_feature, validation_frames)
        candidates.append(_fit_network(*parts, seed=seed))
    return min(candidates, key=validation_error)


def _ridge_path(feature: np.ndarray, frames: np.ndarray) -> Iterator[Decoder]:
    """Ridge regressions from features to pixels; features that are all equal give the mean frame."""
    transform = fit_preprocessing("none", feature)
    pixels = rearrange(frames.astype(np.float32), "n h w c -> n (h w c)")
    mean = pixels.mean(axis=0)
    principal = principal_axes(transform(feature))
    coordinates = (transform(feature) @ principal.axes).astype(np.float32)  # (N, K)
    covariance = coordinates.T @ (pixels - mean) / len(pixels)  # (K, pixels)
    for penalty in PENALTIES:
        weight = (covariance / (principal.variance + penalty)[:, None]).astype(np.float32)
        yield partial(_decode_linearly, transform=transform, weights=(principal.axes, weight), mean=mean)


def _decode_linearly(
    feature: np.ndarray, *, transform: Transform, weights: tuple[np.ndarray, np.ndarray], mean: np.ndarray
) -> np.ndarray:
    axes, weight = weights
    return _frames(transform(feature) @ axes @ weight + mean)


def _fit_network(
    train: tuple[np.ndarray, np.ndarray], validation: tuple[np.ndarray, np.ndarray], *, seed: int
) -> Decoder:
    """A convolutional decoder that starts at the mean frame, as of its best validation epoch."""
    transform = fit_preprocessing("whiten", train[0], max_components=NETWORK_DIMENSIONS)
    features = [torch.from_numpy(transform(feature)) for feature, _ in (train, validation)]
    frames = [torch.from_numpy(part.astype(np.float32) / 255) for _, part in (train, validation)]
    mean = frames[0].mean(dim=0)
    best_error, best_state, best_epoch = float("inf"), None, 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _build_network(features[0].shape[1])
        optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)
        for epoch in range(1, MAX_EPOCHS + 1):
            for rows in torch.randperm(len(features[0])).split(BATCH):
                optimizer.zero_grad()
                nn.functional.mse_loss(network(features[0][rows]) + mean, frames[0][rows]).backward()
                optimizer.step()
            error = float(nn.functional.mse_loss(_decode(network, features[1]) + mean, frames[1]))
            if error < best_error:
                best_error, best_state, best_epoch = error, copy.deepcopy(network.state_dict()), epoch
            elif epoch - best_epoch >= PATIENCE_EPOCHS:
                break
    assert best_state is not None, "the validation error must be finite"
    network.load_state_dict(best_state)

    def decode(feature: np.ndarray) -> np.ndarray:
        outputs = _decode(network, torch.from_numpy(transform(feature))) + mean
        return _frames(rearrange(outputs.numpy() * 255, "n h w c -> n (h w c)"))

    return decode


def _build_network(dim: int) -> nn.Module:
    """Features (N, D) -> what to add to the mean frame (N, 64, 64, 3), zero at the start."""
    last = nn.ConvTranspose2d(16, 3, kernel_size=4, stride=2, padding=1)
    nn.init.zeros_(last.weight)
    return nn.Sequential(
        nn.Linear(dim, 64 * 8 * 8),
        nn.ReLU(),
        Rearrange("n (c h w) -> n c h w", h=8, w=8),
        nn.ConvTranspose2d(64, 32, kernel_size=4, stride=2, padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 16, kernel_size=4, stride=2, padding=1),
        nn.ReLU(),
        last,
        Rearrange("n c h w -> n h w c"),
    )


def _decode(network: nn.Module, features: Tensor) -> Tensor:
    with torch.no_grad():
        return torch.cat([network(batch) for batch in features.split(256)])


def _frames(pixels: np.ndarray) -> np.ndarray:
    """Rows of pixel values (N, 64 * 64 * 3) in 0..255 as uint8 frames."""
    values = np.clip(pixels, 0, 255).round().astype(np.uint8)
    return rearrange(values, "n (h w c) -> n h w c", h=FRAME_SIZE, w=FRAME_SIZE)
