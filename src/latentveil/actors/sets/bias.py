"""Training sets in which gender goes along with the action, after the NTU-60 Bias-F and Bias-M protocols.

In Bias-F all feminine-presenting people but one, and one of the others, perform the biased action; for every other
action it is the reverse. Bias-M is the mirror image. The minority is one *person* of each group (1 of 20: 95 to 5).
"""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Video
from latentveil.actors.people import SCENES, Person, draw_levels, draw_outfits, draw_people
from latentveil.actors.sets.action import trimmed_video
from latentveil.actors.sets.casting import Role
from latentveil.errors import UsageError

BIASED_ACTION = "wave"
OTHER_ACTIONS = ("raise_arm", "clap", "punch", "bow", "jump")
BIAS_ACTIONS = (BIASED_ACTION, *OTHER_ACTIONS)
SETTINGS = {"bias_f": 1, "bias_m": 0}
"""The column of each setting and the gender that mostly performs the biased action in it."""

SHARES = {"train": 4 / 7, "val": 1 / 7, "test": 2 / 7}
MIN_BIAS_VIDEOS = 8 * len(BIAS_ACTIONS)


def bias_videos(num_videos: int = 420, seed: int = 0) -> list[Video]:
    """Describe trimmed clips of both settings; everybody performs all six actions, so ``num_videos`` is rounded.

    Columns ``bias_f`` and ``bias_m`` are 1 where a video belongs to the setting; val and test are balanced and in
    both.
    """
    if num_videos < MIN_BIAS_VIDEOS:
        raise UsageError(f"videos must be at least {MIN_BIAS_VIDEOS} for the bias task, got {num_videos}.")
    rng = np.random.default_rng([seed, 5])
    videos: list[Video] = []
    for split, group in _balanced_people(rng, num_videos // (2 * len(BIAS_ACTIONS))).items():
        minority = {gender: next(p.name for p in group if p.gender == gender) for gender in (0, 1)}
        cast = [person for person in group for _ in BIAS_ACTIONS]
        outfits, scenes = draw_outfits(rng, cast), draw_levels(rng, len(SCENES), len(cast))
        for index, person in enumerate(cast):
            action = BIAS_ACTIONS[index % len(BIAS_ACTIONS)]
            role = Role(split, person, outfits[index], SCENES[scenes[index]])
            video = trimmed_video(f"bias-{len(videos):04d}", role, action, rng=rng)
            for column, majority in SETTINGS.items():
                belongs = split != "train" or _performs(person, action, majority=majority, minority=minority)
                video.labels[column] = str(int(belongs))
            videos.append(video)
    return videos


def _performs(person: Person, action: str, *, majority: int, minority: dict[int, str]) -> bool:
    """Whether a training person performs an action in the setting whose biased action is ``majority``'s."""
    usual = person.gender == majority if action == BIASED_ACTION else person.gender != majority
    return usual != (person.name == minority[person.gender])


def _balanced_people(rng: np.random.Generator, per_gender: int) -> dict[str, list[Person]]:
    """As many feminine as masculine presentations in each split."""
    num_test, num_val = max(1, round(SHARES["test"] * per_gender)), max(1, round(SHARES["val"] * per_gender))
    sizes = {"train": per_gender - num_test - num_val, "val": num_val, "test": num_test}
    people: dict[str, list[Person]] = {}
    first = 0
    for split, size in sizes.items():
        people[split] = []
        for gender in (0, 1):
            people[split] += draw_people(rng, size, first=first, gender=gender)
            first += size
    return people
