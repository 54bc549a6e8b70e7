"""The anonymizing adapter (AAM, f_A): one network behind the encoder, saved as a folder, never as a pickle."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import ModelCard, ModelHubMixin, get_hf_file_metadata, hf_hub_download, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from huggingface_hub.utils import validate_repo_id
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from latentveil.adapters.network import NETWORKS
from latentveil.adapters.weights import require_weights_of
from latentveil.errors import InputError, UsageError
from latentveil.outputs import write_whole
from latentveil.report.card import privacy_card

NOISE_PER = ("clip", "video")
WEIGHTS_FILE = "model.safetensors"
HUB_SECONDS = 3.0  # how long the hub may take to answer before it counts as out of reach
TRAINING_FOLDER = (
    "training"  # in the folder of an adapter: the log of every loss term, a checkpoint while it trains
)
# Options of one network or another that every config.json had before 0.2; "network" says in words what is built.
NOT_OF_EVERY_NETWORK = {
    "layers", "heads", "attends", "window", "directions", "prototypes", "phases", "network",
}  # fmt: skip


class Adapter(nn.Module, ModelHubMixin):
    """Clip features of videos in, anonymized features of the same shape and dtype out.

    ``architecture`` is the name of a network: "attention" (the paper's), "released" (of the public code), "mlp", the
    closed forms "affine" and "codebook", or one of another package; ``options`` are those of this network.
    ``noise_rank`` is the rank of Gaussian noise added to the output, 0 for none; its factor (D, noise_rank) is a buffer
    that the method sets. Noise is drawn ``noise_per`` clip, or once per video: then nobody can average it away over a
    video's clips. ``encoder`` and ``recipe`` record what the adapter was made for and how; they go into config.json.
    """

    noise_factor: Tensor

    def __init__(
        self,
        *,
        dim: int,
        architecture: str = "attention",
        noise_rank: int = 0,
        noise_per: str = "clip",
        encoder: dict[str, Any] | None = None,
        recipe: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if dim < 1 or noise_rank < 0:
            raise InputError(f"dim must be at least 1 and noise_rank 0, got {dim}, {noise_rank}.")
        if noise_per not in NOISE_PER:
            raise InputError(f"noise_per must be one of {', '.join(NOISE_PER)}, got {noise_per!r}.")
        for name, record in (("encoder", encoder), ("recipe", recipe)):
            if record is not None and not isinstance(record, dict):
                raise InputError(f"{name} must be a record of settings or nothing, got {record!r:.40}.")
        network = NETWORKS.get(architecture)
        unread = NOT_OF_EVERY_NETWORK - set(network.Options.model_fields)
        chosen = network.check_options({name: options[name] for name in options if name not in unread})
        self.config: dict[str, Any] = {
            "dim": dim,
            "architecture": architecture,
            "network": network.describe(chosen) + (", adds Gaussian noise" if noise_rank else ""),
            **chosen.model_dump(mode="json"),
            "noise_rank": noise_rank,
            "noise_per": noise_per,
            "encoder": encoder,
            "recipe": recipe,
        }
        self.dim = dim
        self.architecture = architecture
        self.network = network.build(dim, chosen)
        self.register_buffer("noise_factor", torch.zeros(dim, noise_rank))

    def forward(
        self,
        features: Tensor,
        mask: Tensor | None = None,
        *,
        noise: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Anonymize ``features`` (B, T, D); ``mask`` (B, T) is True where a clip is real (default: everywhere).

        The numbers may have any precision; it is that of the adapter's weights in between. Padded clips come back as
        zeros. ``noise`` is what ``draw_noise`` gives; without it the noise is fresh, or
        drawn by ``generator``.
        """
        if features.ndim != 3 or features.shape[-1] != self.dim or features.shape[1] == 0:
            raise InputError(
                f"features must be of shape (B, T, {self.dim}), T >= 1, got {tuple(features.shape)}."
            )
        if not features.is_floating_point():
            raise InputError(f"features must be floating-point numbers, got {features.dtype}.")
        given, features = features.dtype, features.to(self.noise_factor.dtype)
        if mask is None:
            mask = torch.ones(features.shape[:2], dtype=torch.bool, device=features.device)
        output = self.network(features, mask)
        if self.noise_factor.shape[1]:
            if noise is None:
                noise = self.draw_noise(*features.shape[:2], generator=generator).to(features)
            output = output + noise @ self.noise_factor.T
        return (output * mask[..., None]).to(given)

    def draw_noise(self, videos: int, clips: int, *, generator: torch.Generator | None = None) -> Tensor:
        """Standard normal numbers for videos of ``clips`` clips: (videos, clips, rank), or (videos, 1, rank)."""
        draws = clips if self.config["noise_per"] == "clip" else 1
        rank = self.noise_factor.shape[1]
        device = generator.device if generator is not None else self.noise_factor.device
        return torch.randn(videos, draws, rank, generator=generator, device=device)

    def save(self, folder: str | Path) -> None:
        """Write the adapter to ``folder``: settings, weights, and a card that says what is known of its privacy."""
        self.save_pretrained(folder)

    def transform(self, features: Any, *, seed: int | None = None) -> Any:
        """The anonymized features of a feature set or of arrays, in the form they came in; as `latentveil.apply`."""
        from latentveil.adapters.apply import apply  # imports this module

        return apply(self, features, seed=seed)

    def sha256(self) -> str:
        """The checksum of the weights: that of their file, wherever the adapter came from."""
        return hashlib.sha256(save(self._weights())).hexdigest()

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().contiguous().cpu() for name, value in self.state_dict().items()}

    def _save_pretrained(self, save_directory: Path) -> None:
        # not save_file, whose file nobody else may read, whatever the umask
        write_whole(save_directory / WEIGHTS_FILE, save(self._weights()))
        write_whole(save_directory / "config.json", json.dumps(self.config, indent=2) + "\n")
        (save_directory / "README.md").unlink(missing_ok=True)

    def generate_model_card(self, *_: Any, **__: Any) -> ModelCard:
        """The privacy card, which says that nothing was audited yet."""
        return ModelCard(privacy_card(self.config, audit=None), ignore_metadata_errors=True)

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
    ) -> Adapter:
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
        require_weights_of(settings, weights, said=model_id)
        try:
            adapter = cls(**settings)
            adapter.load_state_dict(load_file(weights), strict=True)
        except (RuntimeError, MemoryError, OverflowError, SafetensorError, FileNotFoundError) as error:
            raise InputError(f"{model_id} must hold the weights of its config.json, got: {error}") from error
        return adapter.eval()


def read_training_log(folder: str | Path) -> list[dict[str, float]]:
    """The loss terms of each epoch of the adapter in ``folder``; empty where none was trained there."""
    log = Path(folder) / TRAINING_FOLDER / "log.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []


AdapterLike = Adapter | str | Path


def as_adapter(given: AdapterLike) -> Adapter:
    """The adapter itself, or the one in a folder or of that name on the hub."""
    return given if isinstance(given, Adapter) else load_adapter(given)


def load_adapter(path: str | Path) -> Adapter:
    """The adapter in the folder ``path``, or of that name ("owner/name") on the hub, in evaluation mode."""
    if Path(path).exists():
        if not (Path(path) / "config.json").is_file():
            raise InputError(
                f"{path} must be an adapter folder with config.json, got none. Make one with `veil fit`."
            )
    elif not _is_hub_name(str(path)):
        raise InputError(
            f"{path} must be an adapter folder, or owner/name on the hub, got nothing there. "
            "Make one with `veil fit`."
        )
    reachable = Path(path).exists() or _hub_answers(str(path))
    try:
        return Adapter.from_pretrained(str(path), local_files_only=not reachable)
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError) and not isinstance(error, UsageError):
            raise
        reason = str(error)[:300]
        raise InputError(f"{path}/config.json must hold the settings of an adapter, got: {reason}") from error
    except OSError as error:
        reason = str(error).partition("\n")[0].rstrip(".") if reachable else "the hub does not answer"
        raise InputError(
            f"{path} must be an adapter that can be read, got: {reason}. "
            "Give the folder of an adapter, or connect this machine."
        ) from error


def _hub_answers(name: str) -> bool:
    """Whether the hub says anything about ``name``, asked once: a download would ask again for half a minute."""
    try:
        get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=HUB_SECONDS)
    except HfHubHTTPError:  # a refusal is an answer, too; what it means is told by the download
        return True
    except Exception:  # no connection, in the words of whichever HTTP library the hub's package uses
        return False
    return True


def _is_hub_name(name: str) -> bool:
    """Whether the hub may know ``name``, which is no folder: owner/name, and no folder is called as the owner."""
    if name.count("/") != 1 or Path(name).parent.is_dir():
        return False
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return True
