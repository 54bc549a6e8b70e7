"""LEACE: the least change after which no linear model can predict the secrets; it needs their labels (an oracle)."""

from __future__ import annotations

import warnings

import numpy as np
import torch
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.config import Section, Settings
from latentveil.errors import InputError, UsageError
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.closed_form import affine_adapter, in_blocks, rows_of


class SecretsSection(Section):
    """``secrets`` are those that an oracle hides; none named: all in the labels."""

    secrets: tuple[str, ...] = ()


class LeaceSettings(Settings):
    """What is erased."""

    erasure: SecretsSection = SecretsSection()


def fit(data: TrainingData, settings: LeaceSettings, **_: object) -> Adapter:
    """Erase every secret of ``erasure.secrets`` (default: all in the labels) from clips and stills."""
    if data.labels is None:
        raise UsageError("labels must be given for the method leace, got none. It erases labelled secrets.")
    names = settings.erasure.secrets or tuple(data.labels.secrets)
    if not names:
        raise InputError("labels must have a column secret_… for the method leace, got none.")
    columns = [one_hot(data.labels.lookup(name, data.features.video)) for name in names]
    return affine_adapter(*erase(rows_of(data.features), torch.cat(columns, dim=1)))


def one_hot(values: np.ndarray) -> Tensor:
    """Classes (N,) as indicators (N, C); a blank, which is unknown, gets the mean of the others."""
    known = torch.as_tensor(values != "")
    classes, indexes = np.unique(values[values != ""], return_inverse=True)
    indicators = torch.zeros(len(values), len(classes), dtype=torch.double)
    indicators[known] = torch.nn.functional.one_hot(torch.as_tensor(indexes), len(classes)).double()
    indicators[~known] = indicators[known].mean(dim=0)
    return indicators


def erase(features: Tensor, concept: Tensor) -> tuple[Tensor, Tensor]:
    """The map (D, D) and bias (D,) after which ``features`` (N, D) and ``concept`` (N, Z) are uncorrelated.

    Covariances are summed up block by block.
    """
    try:
        with (
            warnings.catch_warnings()
        ):  # concept-erasure scripts a function with torch.jit, which is deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            from concept_erasure import LeaceFitter
    except ImportError as error:
        raise InputError(
            "concept-erasure must be installed, got none. Run `pip install latentveil[erasure]`."
        ) from error
    spread = concept.std(dim=0)
    standardised = (concept - concept.mean(dim=0))[:, spread > 0] / spread[spread > 0]
    fitter = LeaceFitter(features.shape[1], standardised.shape[1], dtype=torch.double, svd_tol=1e-3)
    for block, wanted in zip(in_blocks(features), in_blocks(standardised)):
        fitter.update(block, wanted)
    eraser = fitter.eraser
    assert eraser.bias is not None
    return eraser.P, eraser.bias - eraser.P @ eraser.bias


method = Method(
    name="leace",
    fit=fit,
    about="The least change after which no linear model can predict the labelled secrets.",
    Settings=LeaceSettings,
    oracle=True,
)
