"""A method of my own: keep the directions between the mean features of the actions, add noise in the others.

Run: python examples/method_of_my_own.py
In a package of its own, this file and one entry point are all it takes:

    [project.entry-points."latentveil.methods"]
    between = "my_package.between:method"
"""

import torch
from pydantic import Field

import latentveil as lv
from invented_people import invent
from latentveil.adapters.adapter import Adapter
from latentveil.config import Settings
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.closed_form import affine_adapter, matrix, scale_of
from latentveil.testing import check_method


class BetweenSettings(Settings):
    """What can be set: ``veil fit --method between --set noise=0.5``, or settings={"noise": 0.5}."""

    noise: float = Field(1.0, ge=0)


def fit(data: TrainingData, settings: BetweenSettings, **_: object) -> Adapter:
    """A projection to the span of the class means around their centre, with noise in the shape of the features.

    Methods see training videos only, and no secret; ``data.tasks`` gives examples: clips (T, D) and their class.
    """
    clips = matrix(data.features.of_kind("temporal"))  # (N, D)
    means: dict[object, list[torch.Tensor]] = {}
    for task in data.tasks.values():
        for stretch, label in task.examples():
            means.setdefault(label, []).append(torch.as_tensor(stretch).double().mean(dim=0))
    centres = torch.stack([torch.stack(found).mean(dim=0) for found in means.values()])  # (C, D)
    _, strength, axes = torch.linalg.svd(centres - centres.mean(dim=0), full_matrices=False)
    axes = axes[strength > 1e-6 * strength[0]]  # (k, D)
    projection, mean = axes.T @ axes, clips.mean(dim=0)
    noise = settings.noise * scale_of(clips) * torch.eye(clips.shape[1])
    return affine_adapter(projection, mean - projection @ mean, noise_factor=noise, noise_per="video")


method = Method(
    name="between",
    fit=fit,
    about="Keeps the directions between the mean features of the tasks' classes.",
    Settings=BetweenSettings,
)

if __name__ == "__main__":
    check_method(
        method
    )  # keeps shapes, sees no test video and no secret, can be saved and loaded, repeats itself
    print("between keeps the contract of methods")

    features, stills, labels = invent()
    raw = lv.FeatureSet.from_arrays(features, stills=stills)
    for noise in (0.0, 0.5, 1.0):
        adapter = lv.fit(
            raw, labels, tasks=["action"], method=method, settings={"noise": noise}, progress=False
        )
        safe = lv.apply(adapter, raw)
        audit = lv.audit(
            raw, safe, labels, secrets=["gender"], attacks=["lda"], recipient=None, progress=False
        )
        gender, actions = audit.secrets["gender"].worst.anonymized, audit.tasks["action"].anonymized
        print(f"noise {noise}: gender {gender}, actions {actions}")
