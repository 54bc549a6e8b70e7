"""Destroys the key of an adapter: what it knows of single groups, by which a release could be undone."""

from __future__ import annotations

import os
from pathlib import Path

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.network import GroupedNetwork
from latentveil.adapters.saved import CARD_FILE, CONFIG_FILE, FORGOTTEN, WEIGHTS_FILE
from latentveil.adapters.transport import sizes_without_key
from latentveil.errors import InputError
from latentveil.files.outputs import naming_the_file, write_whole
from latentveil.files.place_files import remove_tree, sync_folder
from latentveil.files.places import PlaceLike, as_place
from latentveil.store.one_run import one_run_in

HALF = ".forgotten.half"  # the folder FORGOTTEN while it is written or removed


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


def is_forgotten(adapter: Adapter) -> bool:
    """Whether the adapter had a key, which is destroyed."""
    return isinstance(adapter.network, GroupedNetwork) and adapter.network.forgotten


def forget_key(folder: str | Path) -> Adapter:
    """Replace the adapter in ``folder`` by one without its key; the file that held it is overwritten first.

    Its config.json keeps the checksum of the weights with the key, and its card what an audit found. Killed in the
    middle, this is finished by `finish_forgetting`. Copies that were made elsewhere, and blocks that a disk or file
    system keeps of its own accord, are out of reach.
    """
    if not finish_forgetting(folder):
        require_key(folder)
        with one_run_in(Path(folder)):
            _write_what_is_left(Path(folder))
            _destroy(Path(folder))
    return load_adapter(folder)


def finish_forgetting(folder: PlaceLike) -> bool:
    """Destroy the key in ``folder`` if a run was stopped while it did; False where there is nothing to finish."""
    place = as_place(folder)
    if not isinstance(place, Path) or not (place / FORGOTTEN).is_dir():
        return False
    with one_run_in(place):
        _destroy(place)
    return True


def _without_key(known: Adapter) -> Adapter:
    """What is left of the adapter."""
    config = {name: value for name, value in known.config.items() if name != "network"}
    config |= {**sizes_without_key(config), "forgotten": True, "forgotten_from": known.sha256()}
    kept = Adapter(**config)
    held = known.state_dict()
    kept.load_state_dict(
        {
            name: held[name] if held[name].shape == value.shape else value
            for name, value in kept.state_dict().items()
        }
    )
    return kept.eval()


def _write_what_is_left(folder: Path) -> None:
    """Write the adapter without its key beside the one with it, as a folder that appears whole."""
    known = load_adapter(folder)
    kept, half, card = _without_key(known), folder / HALF, folder / CARD_FILE
    remove_tree(half)
    kept.save(half)
    if card.is_file():
        network = str(known.config["network"]), str(kept.config["network"])
        write_whole(half / CARD_FILE, card.read_text(encoding="utf-8").replace(*network))
    half.rename(folder / FORGOTTEN)
    sync_folder(folder)


def _destroy(folder: Path) -> None:
    """Overwrite the key, then put what is left in its place; every step may be done a second time."""
    left = folder / FORGOTTEN
    if not left.is_dir():
        return  # another run was faster
    _overwrite(folder / WEIGHTS_FILE)
    for name in (WEIGHTS_FILE, CONFIG_FILE, CARD_FILE):
        write_whole(folder / name, (left / name).read_bytes())
    remove_tree(folder / HALF)
    left.rename(folder / HALF)  # a folder that is removed in part must not be taken for a whole one
    remove_tree(folder / HALF)


def _overwrite(file: Path) -> None:
    with naming_the_file(file), open(file, "r+b") as opened:
        opened.write(os.urandom(file.stat().st_size))
        opened.flush()
        os.fsync(opened.fileno())
