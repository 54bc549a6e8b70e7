"""Arenas whose adapters learn from videos of actions, some of which may be kept from them."""

from __future__ import annotations

from typing import Any

from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.protocols.base import Arena
from latentveil.labels import Labels


class ActionArena(Arena):
    """Adapters know what the cut of the actions lets them see."""

    actions: ActionCut

    @property
    def cut(self) -> dict[str, Any]:
        return {"seen_actions": list(self.actions.seen)}

    def training_labels(self) -> Labels:
        return self.actions.training_labels()
