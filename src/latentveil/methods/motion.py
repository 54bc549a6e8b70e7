"""A linear anonymizer for tasks that nobody has named yet: keep the directions in which clips move, drop looks.

Which directions these are is learned from clips and stills alone (`looks.py`), so tasks whose labels nobody has keep
what they need. The classes of tasks that are named count as motion, too. Noise drawn once per video, shaped like the
looks of other videos, covers some of what the kept directions still show.
"""

from __future__ import annotations

from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.config import Section, Settings
from latentveil.errors import InputError
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.closed_form import affine_adapter
from latentveil.methods.looks import tell_apart
from latentveil.methods.scatter import Examples, leading_ratios, scatters

# A class that stills show is a part of looks, too: named classes stay unless they make up less than a tenth of looks.
NAMED_WEIGHT = 10.0


class MotionSection(Section):
    """A direction stays if clips move in it at least ``ratio`` times as much as looks differ (variances).

    ``noise`` is drawn once per video, in units of the spread of looks.
    """

    ratio: float = Field(1.5, gt=0)
    noise: float = Field(0.3, ge=0)


class MotionSettings(Settings):
    """Which directions stay, and the noise."""

    motion: MotionSection = MotionSection()


def fit(data: TrainingData, settings: MotionSettings, **_: object) -> Adapter:
    """Keep the directions in which motion has at least ``motion.ratio`` times the variance of looks.

    In these directions the output is the best linear guess of the clip without its looks, given the clip with its looks
    and noise of ``motion.noise`` times the spread of looks. It lies where the clip lay among the D dimensions.
    """
    found = tell_apart(data.features, seed=settings.train.seed)
    wanted = found.motion
    for task in data.tasks.values():
        wanted = wanted + NAMED_WEIGHT * scatters(Examples(task)).between
    ratios, axes = leading_ratios(wanted, found.looks)
    count = int((ratios >= settings.motion.ratio).sum())
    if count == 0:
        raise InputError(
            f"motion.ratio must be at most {float(ratios[0]):.3g} for these videos, got {settings.motion.ratio}. "
            "Set it lower, or extract several clips of each video."
        )
    ratios, axes = ratios[:count], axes[:, :count]  # (k,), (D, k)
    noise = settings.motion.noise
    gain = ratios / (ratios + 1 + noise**2)
    back = found.looks @ axes * gain  # (D, k)
    weight = back @ axes.T
    return affine_adapter(
        weight, found.mean - weight @ found.mean, noise_factor=noise * back, noise_per="video"
    )


def dials(with_motion: bool) -> Dials:
    return {"motion.ratio": (0.75, 1.5, 3.0), "motion.noise": (0.1, 0.3, 1.0)}


method = Method(
    name="motion",
    fit=fit,
    about="The directions in which clips move stay, looks go, for tasks that nobody has named yet.",
    Settings=MotionSettings,
    keeps_motion=True,
    dials=dials,
)
