"""Single images with private attributes, as VISPR has them: videos of one frame, each of another person."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Actor, Step, Video
from latentveil.actors.motion.motions import ACTIONS
from latentveil.actors.people import secret_labels
from latentveil.actors.rendering.things import HOLDING, SEATED
from latentveil.actors.sets.casting import FPS, cast_roles, draw_hand, draw_heading, draw_seed, draw_view

# Where the chair and the ball are follows from the whole motion, which a single frame does not have.
IMAGE_ACTIONS = tuple(action for action in ACTIONS if action not in (*HOLDING, *SEATED))
OCCLUDED_SHARE = 0.2


def image_videos(num_videos: int = 400, seed: int = 0) -> list[Video]:
    """Describe single images, taken at a random moment of an action."""
    rng = np.random.default_rng([seed, 6])
    videos: list[Video] = []
    for role in cast_roles(rng, num_videos, videos_per_person=1):
        moment = float(rng.uniform(0.1, 1.9))
        actor = Actor(
            role.person,
            role.outfit,
            (Step(str(rng.choice(IMAGE_ACTIONS)), -moment, 2.0 - moment),),
            heading=draw_heading(rng, low=0.0, high=1.1),
            anchor=(float(rng.uniform(-0.25, 0.25)), 0.0),
            hand=draw_hand(rng),
            variant=float(rng.random()),
        )
        videos.append(
            Video(
                name=f"image-{len(videos):05d}",
                split=role.split,
                seed=draw_seed(rng),
                fps=FPS,
                num_frames=1,
                actors=(actor,),
                view=draw_view(rng, extent=float(rng.uniform(1.9, 2.4))),
                scene=role.scene,
                labels=secret_labels(role.person, role.outfit, scene=role.scene),
                occluded=bool(rng.random() < OCCLUDED_SHARE),
            )
        )
    return videos
