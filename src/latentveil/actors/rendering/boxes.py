"""Where the people of a video are in the picture: the true boxes of their bodies, heads and faces."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import Video
from latentveil.actors.motion.body import Skeleton
from latentveil.actors.rendering.backdrop import SAMPLES
from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import ConeList, Cones
from latentveil.actors.rendering.figure import dress
from latentveil.actors.rendering.head import add_face, add_head
from latentveil.actors.rendering.raster import project_cones
from latentveil.actors.rendering.renderer import set_stage
from latentveil.video.boxes import Boxes, area

PERSON, HEAD, FACE = "person", "head", "face"
# A face counts as shown while it looks away from the camera by no more than this, and half of it is in the picture.
FACING = np.cos(np.radians(60))
IN_SIGHT = 0.5
_SKIN = (0.0, 0.0, 0.0)  # colours do not matter here


def boxes_of(video: Video, size: int) -> Boxes:
    """The boxes of every actor (their number is the track) in pictures of ``size`` pixels, as far as they are in sight.

    The box of a face goes from its brows to its lips. What stands before a person is not taken off: a box says where
    somebody is, not how much of them is seen.
    """
    skeletons, camera = set_stage(video, size)
    parts = []
    for track, (actor, skeleton) in enumerate(zip(video.actors, skeletons)):
        head, face = ConeList(), ConeList()
        add_head(head, skeleton, actor.person, actor.outfit, skin=_SKIN, neck=False)
        add_face(face, skeleton, actor.person, skin=_SKIN, ears=False)
        facing = _looks_at(camera, skeleton)
        parts += [
            _boxes(dress(skeleton, actor.person, actor.outfit), camera, size, label=PERSON, track=track),
            _boxes(head.build(), camera, size, label=HEAD, track=track),
            _boxes(face.build(), camera, size, label=FACE, track=track, shown=facing),
        ]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])}
    order = np.lexsort((columns["track"], columns["frame"]))
    return Boxes(**{name: values[order] for name, values in columns.items()})


def _boxes(
    cones: Cones, camera: Camera, size: int, *, label: str, track: int, shown: np.ndarray | None = None
) -> Boxes:
    """The boxes around all ``cones``, frame by frame, where enough of them is in sight; ``shown`` (T,) may say more."""
    num_frames = len(cones.start)
    low, high = project_cones(cones, camera, camera.shifts).box()
    low, high = low.reshape(num_frames, -1, 2).min(axis=1), high.reshape(num_frames, -1, 2).max(axis=1)
    whole = np.concatenate([low, high], axis=1) / SAMPLES  # (T, 4)
    seen = np.clip(whole, 0, size)
    kept = area(seen) >= IN_SIGHT * area(whole)
    kept &= np.ones(num_frames, dtype=bool) if shown is None else shown
    (frame,) = np.nonzero(kept)
    return Boxes(
        frame=frame,
        corners=seen[kept].astype(np.float32),
        score=np.ones(len(frame), dtype=np.float32),
        track=np.full(len(frame), track),
        label=np.full(len(frame), label),
    )


def _looks_at(camera: Camera, skeleton: Skeleton) -> np.ndarray:
    """Whether the head faces the camera, frame by frame (T,)."""
    place = skeleton.point("head", "head", (0.0, 0.0, 0.0))
    ahead = skeleton.point("head", "head", (0.0, 0.0, 1.0)) - place
    towards = np.array([0.0, camera.view.height, camera.view.distance]) - place
    return (ahead * towards).sum(axis=-1) >= FACING * np.linalg.norm(towards, axis=-1)
