"""How publications measure privacy, word for word, to reproduce their numbers. Audits never use these graders.

They are weak on purpose, as published: use ``latentveil.attacks`` to learn what features really give away.
"""

from __future__ import annotations

from latentveil.bench.graders.base import Attributes, Grade, Grader
from latentveil.plugins import Kind

GRADERS: Kind[Grader] = Kind("grader", room="latentveil.bench.graders", type=Grader)  # type: ignore[type-abstract]

__all__ = ["GRADERS", "Attributes", "Grade", "Grader"]
