"""Models that try to recover a secret from features; none of them may import methods.

A file that assigns ``attack`` is the attack of its name; its class has the same name, so that ``from
latentveil.attacks import MLP`` works for all of them: each is imported when first asked for. `base.py` says what an
attack must answer, `knowledge.py` what it holds, `clips.py` what the clips of a video tell together,
`preprocess.py` and `selection.py` how it chooses on validation videos. `inversion.py` draws pictures
instead (`decoder.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from latentveil.attacks.base import Attack
from latentveil.errors import InputError, UsageError
from latentveil.plugins import Kind

if TYPE_CHECKING:
    from latentveil.attacks.boosted import Boosted
    from latentveil.attacks.course import Course
    from latentveil.attacks.informed import Informed
    from latentveil.attacks.lda import LDA
    from latentveil.attacks.linear import Linear
    from latentveil.attacks.mlp import MLP
    from latentveil.attacks.neighbours import Neighbours
    from latentveil.attacks.paired import Paired
    from latentveil.attacks.quadratic import Quadratic
    from latentveil.attacks.retrieval import Retrieval
    from latentveil.attacks.transfer import Transfer

__all__ = [
    "ATTACKS",
    "LDA",
    "MLP",
    "Attack",
    "Boosted",
    "Course",
    "Informed",
    "Linear",
    "Neighbours",
    "Paired",
    "Quadratic",
    "Retrieval",
    "Transfer",
    "load_attacks",
]

ATTACKS: Kind[Attack] = Kind("attack", "latentveil.attacks", Attack)  # type: ignore[type-abstract]


def load_attacks(attacks: str | Attack | Sequence[str | Attack] = "all") -> list[Attack]:
    """The attacks that are asked for, in that order, each under a name of its own.

    Each is a name, ``package.module:object``, or an object such as ``MLP(hidden=512)``; "all" stands for all of this
    folder and of installed packages, in alphabetical order.
    """
    chosen = [attacks] if isinstance(attacks, str | Attack) else list(attacks)
    if not chosen:
        raise UsageError("attacks must name at least one attack, got none.")
    found: dict[str, Attack] = {}
    for asked in chosen:
        for attack in ATTACKS.all() if isinstance(asked, str) and asked == "all" else [ATTACKS.get(asked)]:
            name = _name_of(attack)
            if name in found:
                raise UsageError(
                    f"attacks must have a name each, got {name!r} twice. Name one of them otherwise, as in "
                    f'{type(attack).__name__}(name="{name}_2", …).'
                )
            found[name] = attack
    return list(found.values())


def _name_of(attack: Attack) -> str:
    name = getattr(attack, "name", None)
    if not isinstance(name, str) or not name:
        raise InputError(f"name of attack {attack!r} must be a text, got {name!r}. Set it in its class.")
    return name


def __getattr__(name: str) -> Any:
    """Import the class of an attack when it is first asked for: scikit-learn and torch are slow to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{name.lower()}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
