"""Destroys the key of an adapter: what it knows of single groups, by which a release could be undone."""

from __future__ import annotations

import os
from pathlib import Path

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.network import GroupedNetwork
from latentveil.adapters.saved import WEIGHTS_FILE
from latentveil.adapters.transport import KEY
from latentveil.errors import InputError


def require_key(folder: str | Path) -> None:
    """Refuse to forget what is not there: another network, an adapter on the hub, or one whose key is gone."""
    if not Path(folder).is_dir():
        raise InputError(f"adapter must be a folder to forget its key, got {folder}. Give its folder.")
    if not has_key(load_adapter(folder)):
        raise InputError(
            f"{folder} must hold a key to forget, got an adapter without one. Leave out --forget."
        )


def has_key(adapter: Adapter) -> bool:
    """Whether the adapter knows anything of single groups."""
    return isinstance(adapter.network, GroupedNetwork) and bool(adapter.config["groupings"])


def forget_key(folder: str | Path) -> Adapter:
    """Replace the adapter in ``folder`` by one without its key; the file that held it is overwritten first.

    Copies that were made elsewhere, and blocks that a disk or file system keeps of its own accord, are out of reach.
    """
    require_key(folder)
    known = load_adapter(folder)
    config = {name: value for name, value in known.config.items() if name != "network"}
    kept = Adapter(**{**config, **KEY, "forgotten": True})
    held = known.state_dict()
    kept.load_state_dict(
        {
            name: held[name] if held[name].shape == value.shape else value
            for name, value in kept.state_dict().items()
        }
    )
    weights = Path(folder) / WEIGHTS_FILE
    with open(weights, "r+b") as file:
        file.write(os.urandom(weights.stat().st_size))
        file.flush()
        os.fsync(file.fileno())
    kept.eval().save(folder)
    return kept
