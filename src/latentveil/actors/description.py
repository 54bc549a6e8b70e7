"""What a video shows, as cheap plain data: the actors, what they do when, the camera, the scene and the labels."""

from __future__ import annotations

from dataclasses import dataclass, field

from latentveil.actors.people import Outfit, Person
from latentveil.labels import Segment


@dataclass(frozen=True)
class Step:
    """One entry of an actor's plan; ``turn_rate`` (radians per second) bends the way of a walk or run."""

    action: str
    start_seconds: float
    end_seconds: float
    turn_rate: float = 0.0


@dataclass(frozen=True)
class Actor:
    """A person in a video: at ``anchor_seconds`` the pelvis is over the floor point ``anchor`` (x, z) in metres.

    ``heading`` (radians) is the direction at the start; 0 faces the camera, pi / 2 looks to the picture's right.
    """

    person: Person
    outfit: Outfit
    plan: tuple[Step, ...]
    heading: float
    anchor: tuple[float, float] = (0.0, 0.0)
    anchor_seconds: float = 0.0
    hand: str = "right"
    variant: float = 0.0


@dataclass(frozen=True)
class View:
    """The camera: how far and how high it stands, the height of the picture in metres at the origin, and shake.

    ``room`` moves the wall so many metres back; ``follow`` in [0, 1] is how much the camera pans with the first
    actor; ``shake`` is in shares of the picture.
    """

    distance: float = 4.5
    height: float = 1.35
    extent: float = 2.3
    target_height: float = 0.92
    room: float = 0.0
    follow: float = 0.0
    shake: float = 0.004


@dataclass(frozen=True)
class Video:
    """A video that can be rendered; everything random in its pixels comes from ``seed``.

    ``labels`` are the columns of labels.csv besides video, split and person; ``segments`` the timed events.
    """

    name: str
    split: str
    seed: int
    fps: float
    num_frames: int
    actors: tuple[Actor, ...]
    view: View
    scene: str
    labels: dict[str, str] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    occluded: bool = False

    @property
    def person(self) -> str:
        """The name of the person whose secrets the labels hold: the first actor."""
        return self.actors[0].person.name
