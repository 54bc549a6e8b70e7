"""A release of short and of long videos, and adapters that `transport` fits to it."""

import numpy as np

from latentveil.config import change_settings
from latentveil.methods.base import TrainingData
from latentveil.methods.transport import TransportSettings, fit
from latentveil.types import FeatureSet

PEOPLE, DIM, COMPONENTS, SHORT, LONG = 6, 24, 8, 3, 10
LOOKS = 3 * np.random.default_rng(0).standard_normal((PEOPLE, DIM))
STEPS = 3 * np.random.default_rng(1).standard_normal((2, DIM))


def release(*, short=24, long=18, short_clips=(SHORT,), seed=2):
    """Videos of people, ``short`` and ``long`` ones of each: (features, person).

    All clips show one of two steps. A short video shows them in one of two orders, a long one now this, now that.
    """
    random = np.random.default_rng(seed)
    clips, stills, person = {}, {}, {}
    for number in range(PEOPLE * (short + long)):
        who, which = number % PEOPLE, number // PEOPLE
        name = f"{'s' if which < short else 'l'}{which:02d}p{who}"
        count = short_clips[which % len(short_clips)] if which < short else LONG
        step = (np.arange(count) + which) % 2 if which < short else random.integers(2, size=count)
        rows = LOOKS[who] + STEPS[step] + random.standard_normal((count, DIM))
        clips[name] = rows.astype(np.float32)
        stills[name] = (LOOKS[who] + 0.3 * random.standard_normal((2, DIM))).astype(np.float32)
        person[name] = str(who)
    return FeatureSet.from_arrays(clips, stills=stills), person


def fitted(features, person, *changes):
    named = [f"transport.components={COMPONENTS}", "transport.groups=person", *changes]
    return fit(
        TrainingData(features=features, groups={"person": person}),
        change_settings(TransportSettings(), named, owner="transport"),
    )


def clips_of(features, names):
    clips = features.of_kind("temporal")
    return [clips.feature[clips.video == name].astype(np.float64) for name in names]
