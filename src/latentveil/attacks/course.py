"""The course attack: what the clips of a video tell together, which no clip and no mean of them shows.

An adapter that moves all clips of a video alike, as noise does that is drawn once per video, leaves how they differ
untouched.
"""

from __future__ import annotations

from dataclasses import dataclass

from latentveil.attacks.base import AttackerKnowledge, View
from latentveil.attacks.clips import fit_course
from latentveil.attacks.lda import LDA


@dataclass(frozen=True, kw_only=True)
class Course(LDA):
    """Shrinkage LDA on how far the clips of a video lie apart, on where they move, on their mean, or on all of it."""

    about = "How the clips of a video differ and where they move, whatever their mean is."

    name: str = "course"
    preprocessings: tuple[str, ...] = ("standardise",)

    def views(self, knowledge: AttackerKnowledge) -> dict[str, View]:
        """The mean of a video; where clips of a video differ, also their spread, their trend, and everything."""
        found = {"video": View.of_means(knowledge)}
        course = fit_course(knowledge.train.feature, knowledge.train.video)
        for look in () if course is None else (course.spread, course.trend, course.everything):
            found[look.__name__] = View(knowledge.seen(look), look)
        return found


attack = Course()
