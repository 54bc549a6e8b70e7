"""Our default: a codebook of what the named tasks need, or all that moves where other tasks are to come."""

from __future__ import annotations

from latentveil.adapters.adapter import Adapter
from latentveil.errors import UsageError
from latentveil.methods import codebook, motion
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.codebook import CodebookSettings
from latentveil.methods.motion import MotionSection, MotionSettings


class VeilSettings(CodebookSettings):
    """The section ``erasure`` of `codebook` and the section ``motion`` of `motion`; one of them is read."""

    motion: MotionSection = MotionSection()


def fit(data: TrainingData, settings: VeilSettings, **_: object) -> Adapter:
    """`codebook`, which hides the most, unless ``data.motion`` asks for `motion`, which keeps unnamed tasks, too."""
    unread = "erasure" if data.motion else "motion"
    if getattr(settings, unread) != VeilSettings.model_fields[unread].default:
        reason = "is among the tasks" if data.motion else "is not among the tasks"
        raise UsageError(
            f"{unread} must be left as it is where motion {reason}, got other values, which would change nothing. "
            f"Set values of {'motion' if data.motion else 'erasure'} instead."
        )
    if data.motion:
        return motion.fit(data, MotionSettings(train=settings.train, motion=settings.motion))
    return codebook.fit(data, settings)


def dials(with_motion: bool) -> Dials:
    return motion.dials(with_motion) if with_motion else codebook.dials(with_motion)


method = Method(
    name="veil",
    fit=fit,
    about="Our default: `codebook` for the tasks that are named, `motion` where motion is among them.",
    Settings=VeilSettings,
    keeps_motion=True,
    dials=dials,
)
