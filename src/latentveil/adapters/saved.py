"""Networks that are saved as a folder of config.json and safetensors, never as a pickle, and shared on the hub."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from huggingface_hub import ModelHubMixin, get_hf_file_metadata, hf_hub_download, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from huggingface_hub.utils import validate_repo_id
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from latentveil.errors import InputError, UsageError
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole
from latentveil.files.place_files import SAVING, local_folder, remove_halves
from latentveil.files.places import Place, PlaceLike, RemotePath, as_place
from latentveil.files.regular_files import require_regular_file
from latentveil.files.requests import Request
from latentveil.files.run_folder import CHECKPOINT
from latentveil.notices import notify
from latentveil.store.one_run import RUNNING

CONFIG_FILE, WEIGHTS_FILE, CARD_FILE = "config.json", "model.safetensors", "README.md"
FORGOTTEN = ".forgotten"  # in the folder of an adapter whose key is being destroyed: what takes its place
CHECKSUM = "weights_sha256"  # in config.json; a changed weight may hide less, and nobody would see it
HUB_SECONDS = 3.0  # how long the hub may take to answer before it counts as out of reach
TRAINING_FOLDER = (
    "training"  # in the folder of an adapter: the log of every loss term, a checkpoint while it trains
)


class SavedNetwork(nn.Module, ModelHubMixin):
    """A network that its ``config`` builds: ``architecture`` in it names the plug-in, which must be installed."""

    word: ClassVar[str] = "network"  # what errors call it
    config: dict[str, Any]

    def save(self, folder: PlaceLike, *, request: Request | None = None) -> None:
        """Write it to ``folder``: settings, weights, and a card that says what is known of its privacy.

        ``request`` is what it was asked for, which is noted beside it.
        """
        with local_folder(as_place(folder), upload=True) as here:
            here.mkdir(parents=True, exist_ok=True)
            if (here / SAVING).exists():
                remove_halves(here)
            (here / SAVING).touch()
            self.save_pretrained(here)
            if request is not None:
                request.keep(here)
            (here / SAVING).unlink()

    @classmethod
    def require_weights(cls, settings: dict[str, Any], weights: str, *, said: str) -> None:
        """Refuse a file of weights that cannot be of these settings, before either takes memory."""

    def sha256(self) -> str:
        """The checksum of the weights: that of their file, wherever they came from."""
        return hashlib.sha256(save(self._weights())).hexdigest()

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().contiguous().cpu() for name, value in self.state_dict().items()}

    def _save_pretrained(self, save_directory: Path) -> None:
        # not save_file, whose file nobody else may read, whatever the umask
        weights = save(self._weights())
        write_whole(save_directory / WEIGHTS_FILE, weights)
        said = self.config | {CHECKSUM: hashlib.sha256(weights).hexdigest()}
        write_whole(save_directory / CONFIG_FILE, json.dumps(said, indent=2) + "\n")
        (save_directory / CARD_FILE).unlink(missing_ok=True)

    @classmethod
    def _from_pretrained(
        cls,
        *,
        model_id: str,
        revision: str | None,
        cache_dir: str | Path | None,
        force_download: bool,
        local_files_only: bool,
        token: str | bool | None,
        **settings: Any,
    ) -> Any:
        """Load from a folder or the hub: safetensors only, every tensor present and of the right shape."""
        if not os.path.isdir(model_id) and ":" in settings.get("architecture", ""):
            raise InputError(
                f"architecture of {model_id} must be the name of an installed network, got "
                f"{settings['architecture']!r}, which would import code of its author's choice. Download it, look at "
                "its config.json, and give the folder if you trust it."
            )
        if os.path.isdir(model_id):
            weights = str(Path(model_id) / WEIGHTS_FILE)
        else:
            weights = hf_hub_download(
                repo_id=model_id,
                filename=WEIGHTS_FILE,
                revision=revision,
                cache_dir=cache_dir,
                force_download=force_download,
                token=token,
                local_files_only=local_files_only,
            )
        require_regular_file(weights, what="the weights of a network")
        _require_checksum(Path(weights), settings.pop(CHECKSUM, None), said=model_id)
        cls.require_weights(settings, weights, said=model_id)
        try:
            network = cls(**settings)
            network.load_state_dict(load_file(weights), strict=True)
        except (RuntimeError, MemoryError, OverflowError, SafetensorError, FileNotFoundError) as error:
            raise InputError(f"{model_id} must hold the weights of its config.json, got: {error}") from error
        return network.eval()


def _require_checksum(weights: Path, expected: str | None, *, said: str) -> None:
    """Refuse weights that are not those the config.json was written for; folders of before 0.2 name none."""
    if expected is None or not weights.is_file():
        return
    if hashlib.sha256(weights.read_bytes()).hexdigest() != expected:
        raise InputError(
            f"{said} must hold the weights that its config.json names by checksum, got others: {WEIGHTS_FILE} was "
            "changed or damaged. Fetch it or make it again."
        )


Saved = TypeVar("Saved", bound=SavedNetwork)


def load_saved(kind: type[Saved], path: PlaceLike) -> Saved:
    """The network of this kind in the folder or at the URL ``path``, or called so ("owner/name") on the hub."""
    place = as_place(path)
    if isinstance(place, RemotePath):
        if not (place / CONFIG_FILE).is_file():
            raise InputError(
                f"{path} must be an {kind.word} folder with config.json, got none. Check the URL."
            )
        with local_folder(place) as here:
            return load_saved(kind, here)
    _require_folder_or_name(place, kind.word)
    reachable = place.exists() or _hub_answers(str(place))
    try:
        return kind.from_pretrained(str(place), local_files_only=not reachable)
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError) and not isinstance(error, UsageError):
            raise
        reason = str(error)[:300]
        raise InputError(
            f"{place}/config.json must be the settings of an {kind.word}, got: {reason}"
        ) from error
    except OSError as error:
        reason = str(error).partition("\n")[0].rstrip(".") if reachable else "the hub does not answer"
        raise InputError(
            f"{place} must be an {kind.word} that can be read, got: {reason}. "
            f"Give the folder of an {kind.word}, or connect this machine."
        ) from error


def _require_folder_or_name(path: Path, word: str) -> None:
    """Refuse a folder without a whole network, and what is neither a folder nor a name on the hub."""
    if path.exists():
        if not (path / CONFIG_FILE).is_file():
            raise InputError(
                f"{path} must be an {word} folder with config.json, got none. Make one with `veil fit`."
            )
        if (path / FORGOTTEN).is_dir():
            raise InputError(
                f"{path} must be a whole {word}, got one whose key was being destroyed when a run was stopped. "
                "Give that `veil apply … --forget` again, which finishes it."
            )
        # The reader of the hub's package takes every value that JSON can hold.
        read_json(path / CONFIG_FILE, what=f"the settings of an {word}")
    elif not is_hub_name(str(path)):
        raise InputError(
            f"{path} must be an {word} folder, or owner/name on the hub, got nothing there. "
            "Make one with `veil fit`."
        )


def saved_before(kind: type[Saved], request: Request, folder: Place) -> Saved | None:
    """What this very request made in ``folder`` before; None where nothing is there yet, other things are refused."""
    if not request.is_done(folder):
        require_free(folder)
        return None
    notify(f"{folder} holds this {kind.word} already: nothing is fitted again.")
    (folder / TRAINING_FOLDER / CHECKPOINT).unlink(
        missing_ok=True
    )  # of a run that was killed at its very end
    return load_saved(kind, folder)


def read_config(path: PlaceLike) -> dict[str, Any]:
    """What config.json of a folder, a URL or a name on the hub says; empty where loading will say what is wrong."""
    folder = as_place(path)
    place: Place = folder / CONFIG_FILE
    try:
        if isinstance(folder, Path) and not folder.exists() and is_hub_name(str(path)):
            reachable = _hub_answers(str(path))
            place = Path(hf_hub_download(str(path), CONFIG_FILE, local_files_only=not reachable))
        found = read_json(place, what="the settings of a network")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def require_free(folder: Place) -> None:
    """Refuse a folder with anything in it but a fit that was stopped, so that no adapter is replaced by accident."""
    stopped = (folder / SAVING, folder / TRAINING_FOLDER / CHECKPOINT)
    if not folder.is_dir() or any(mark.exists() for mark in stopped):
        return
    found = sorted(path.name for path in folder.iterdir() if path.name not in (TRAINING_FOLDER, RUNNING))
    if found:
        raise InputError(
            f"{folder} must be a new folder, or one of a fit that was stopped, got one that holds {found[0]!r}. "
            "Choose another folder, or delete this one."
        )


def is_hub_name(name: str) -> bool:
    """Whether the hub may know ``name``, which is no folder: owner/name, and no folder is called as the owner."""
    if name.count("/") != 1 or Path(name).parent.is_dir():
        return False
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return True


def _hub_answers(name: str) -> bool:
    """Whether the hub says anything about ``name``, asked once: a download would ask again for half a minute."""
    try:
        get_hf_file_metadata(hf_hub_url(name, CONFIG_FILE), timeout=HUB_SECONDS)
    except HfHubHTTPError:  # a refusal is an answer, too; what it means is told by the download
        return True
    except Exception:  # no connection, in the words of whichever HTTP library the hub's package uses
        return False
    return True
