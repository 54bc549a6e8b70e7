"""The pictures of faces a bench grades adapters on: encoded once, kept in a store, and compared between spaces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.auditing.answers import attack_secret
from latentveil.auditing.measure import all_secrets
from latentveil.bench.data import PrincipalComponents
from latentveil.errors import InputError
from latentveil.extraction import ExtractProgress, collect_videos, run_extraction
from latentveil.labels import Labels
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store import FeatureStore
from latentveil.store.import_features import ImportSettings, write_imported
from latentveil.types import STATIC, FeatureSet, Sampling, concatenate

SET = "utkface"
QUICK_ATTACKS = ("linear", "lda")
HELD_BACK = 0.2


@dataclass(frozen=True, eq=False)
class Pictures:
    """Stills of faces, their labels, and what a reader must know of where the features come from."""

    features: FeatureSet
    labels: Labels
    remarks: tuple[str, ...] = ()


def load_faces(folder: Path, *, cache: Path, on_progress: OnProgress = silent) -> Pictures:
    """The pictures of ``folder``/utkface: ready features are imported, the others encoded, once, into ``cache``.

    A picture that is not there or cannot be read has labels and no feature.
    """
    pictures, ready = folder / SET, folder / "features" / f"{SET}.npz"
    if not (pictures / "labels.csv").is_file():
        raise InputError(f"data must hold {SET}/labels.csv and its pictures, got none in {folder}.")
    labels = Labels.read(pictures / "labels.csv")
    cache.mkdir(parents=True, exist_ok=True)
    wanted, parts = set(labels.video.tolist()), []
    if ready.is_file():
        parts.append(_stills(_import_ready(ready, cache / f"{SET}-ready.store"), wanted))
        wanted -= set(parts[0].videos)
    num_ready = sum(map(len, parts))
    if wanted:
        parts.append(_stills(_encode(pictures, wanted, cache / f"{SET}.store", on_progress), wanted))
    features = concatenate(parts)
    origin = (
        f"Features of {len(features)} pictures: {len(features) - num_ready} encoded by this bench, {num_ready} that "
        f"came ready with the data; {len(labels.video) - len(features)} pictures are left out."
    )
    return Pictures(features.select(np.argsort(features.video)), labels, (origin,))


def _stills(store: FeatureStore, names: set[str]) -> FeatureSet:
    """The stills of those of ``names`` that are in the store."""
    return store.read(kind=STATIC, videos=sorted(names & set(store.videos)))


def _import_ready(file: Path, store: Path) -> FeatureStore:
    """The features of ``file`` as a store."""
    if not (store / "manifest.json").exists():
        write_imported([file], store, settings=ImportSettings(encoder="i3d"))
    return FeatureStore(store)


def _encode(pictures: Path, names: set[str], store: Path, on_progress: OnProgress) -> FeatureStore:
    """The store with the pictures of these names; what it lacks is encoded. A run that was stopped goes on."""
    stored = set(FeatureStore(store).videos) if (store / "manifest.json").exists() else set()
    missing = names - stored

    def tell(progress: ExtractProgress) -> None:
        failed = f"{len(progress.failures)} left out" if progress.failures else ""
        on_progress(Progress(f"encoding faces into {store}", progress.num_done, progress.num_videos, failed))

    files = [found.path for found in collect_videos([pictures]) if found.video in missing] if missing else []
    if files:
        run_extraction(files, store, sampling=Sampling(clips=0, static_clips=1), on_progress=tell)
    return FeatureStore(store)


def compare_spaces(pictures: Pictures, space: PrincipalComponents, *, signers: FeatureSet) -> dict[str, Any]:
    """How well raw faces are read in their own space and in principal ones: cMAP of two attacks on validation pictures.

    ``space`` is that of the training ``signers``. Test pictures stay untouched: attackers learn from training pictures,
    a part of them held back for their choices.
    """
    faces, labels, count = pictures.features, pictures.labels, len(space.axes)
    known = labels.only(labels.video[labels.split != "test"])
    held_back = np.random.default_rng(0).random(len(known.video)) < HELD_BACK
    split = np.where(known.split == "val", "test", np.where(held_back, "val", "train"))
    known = replace(known, split=split)
    train = faces.of_videos(labels.videos("train"))
    both = concatenate([signers, train])
    everything = Labels(np.array(both.videos), np.full(len(both.videos), "train"))
    joint = PrincipalComponents.fit(both, everything, count)
    spaces = {
        f"all {faces.dim} dimensions": faces,
        f"{count} components of signers": space.apply(faces),
        f"{count} components of signers and faces": joint.apply(faces),
    }
    centred = (train.feature - train.feature.mean(axis=0)).astype(np.float64)
    return {
        "variance_kept": float(np.square(centred @ space.axes.T).sum() / np.square(centred).sum()),
        "cmap": {name: _cmap(features, known) for name, features in spaces.items()},
    }


def _cmap(features: FeatureSet, labels: Labels) -> dict[str, float]:
    """The mean over secrets of the average precision of each quick attack."""
    found = [
        attack_secret(features, features, labels, secret, kind=STATIC, attacks=QUICK_ATTACKS)
        for secret in all_secrets(labels)
    ]
    return {attack: float(np.mean([answers.value(attack) for answers in found])) for attack in QUICK_ATTACKS}
