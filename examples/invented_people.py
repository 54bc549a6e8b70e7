"""Features of people who do not exist, for the other examples: looks stay with a person, motion follows the action."""

import numpy as np

DIM, CLIPS, STILLS = 32, 4, 3
SPLIT_OF_TAKE = ("train", "train", "val", "test")


def invent(num_people=12, actions=("walk", "sit", "wave"), *, seed=0):
    """Features {video: (T, D)}, stills {video: (K, D)}, and labels as a dictionary of columns.

    A clip is looks + motion + noise, a still is looks + noise; gender is a part of the looks.
    """
    random = np.random.default_rng(seed)
    looks = random.normal(size=(num_people, DIM))
    looks[:, 0] = np.where(np.arange(num_people) % 2, 2.0, -2.0)
    motion = 2.0 * random.normal(size=(len(actions), DIM))
    features, stills, rows = {}, {}, []
    for person in range(num_people):
        for number, action in enumerate(actions):
            for take, split in enumerate(SPLIT_OF_TAKE):
                video = f"p{person:02}_{action}_{take}"
                clips = looks[person] + motion[number] + 0.4 * random.normal(size=(CLIPS, DIM))
                features[video] = clips.astype(np.float32)
                stills[video] = (looks[person] + 0.4 * random.normal(size=(STILLS, DIM))).astype(np.float32)
                rows.append((video, split, f"p{person:02}", action, person % 2))
    names = ("video", "split", "person", "action", "secret_gender")
    return features, stills, dict(zip(names, map(list, zip(*rows))))
