"""What a fit is asked to do: a method with its settings, by the name of a preset or of a method, and changes to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from latentveil.adapters.adapter import Adapter
from latentveil.checksums import short_checksum
from latentveil.config import Settings, change_settings, check_settings
from latentveil.errors import PluginError, UsageError
from latentveil.foreign_code import code_of
from latentveil.machine.devices import require_device
from latentveil.methods.base import Method, TrainingData, load_method
from latentveil.methods.ranks import num_processes
from latentveil.names import did_you_mean
from latentveil.progress import OnProgress, silent


@dataclass(frozen=True)
class FitPlan:
    """A method and its settings; ``notes`` say where they knowingly differ from what they are named after."""

    method: Method
    settings: Settings
    notes: tuple[str, ...] = ()

    def fit(
        self, data: TrainingData, *, folder: Path | None = None, on_progress: OnProgress = silent
    ) -> Adapter:
        """The adapter that the method makes of ``data``, if it can keep what these ask for."""
        self.check(motion=data.motion, live=data.fresh is not None)
        adapter = self.method.fit(data, self.settings, folder=folder, on_progress=on_progress)
        if not isinstance(adapter, Adapter):
            raise PluginError(
                f"the method {self.method.name} must give an Adapter, got {type(adapter).__name__}. Mend it."
            )
        return adapter

    def check(self, *, motion: bool = False, live: bool = False) -> None:
        """Refuse a method that cannot keep motion or train live where that is asked, and a device that is not there."""
        load_method(self.method, motion=motion, live=live)
        if num_processes() > 1 and not self.method.trained:
            raise UsageError(
                f"method must be one that trains under torchrun, got {self.method.name!r}. Start it without torchrun."
            )
        require_device(self.settings.train.device)

    def identity(self) -> dict[str, Any]:
        """What tells it from others, the file that the method is written in included."""
        return {**self.to_dict(), "code": short_checksum(code_of(self.method.fit.__module__))}

    def to_dict(self) -> dict[str, Any]:
        """For the record in an adapter's config.json."""
        found = {"method": self.method.name, "settings": self.settings.model_dump(mode="json")}
        return found | ({"notes": list(self.notes)} if self.notes else {})


@dataclass(frozen=True)
class Preset:
    """A method, and values of its settings that differ from the method's own; ``notes`` are for adapters' recipes."""

    method: str
    values: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


DEFAULT_PRESET = "veil"
PRESETS = {
    "veil": Preset("veil"),
    "paper": Preset(
        "splavu",
        {
            "adapter": {"layers": 3, "heads": 8, "attends": "time", "init": "reconstruct"},
            "loss": {"consistency_reduction": "sum", "symmetric": False},
            "usual_heads": {"detection": "tridet-paper", "anomaly": "mgfn-paper"},
        },
    ),
    "released": Preset(
        "splavu",
        {
            "adapter": {
                "architecture": "released",
                "layers": 3,
                "heads": 8,
                "attends": "batch",
                "init": "reconstruct_mse",
            },
            "loss": {"consistency_on": "action"},
            "train": {
                "linear_scaling": False,
                "epoch_ends": "shortest",
                "pretrained_heads": ("detection", "anomaly"),
                "head_gradients": "weighted",
                "action_context": "clip",
                "keep": "best_validation",
            },
            "usual_heads": {"detection": "tridet-released", "anomaly": "mgfn-released"},
        },
        notes=(
            "The public code keeps the epoch with the best accuracy on the test videos; here the epoch is chosen on "
            "the validation videos.",
            "The public code starts the action head from the encoder's own where the classes are Kinetics-400's; "
            "here it starts fresh unless train.pretrained_heads names action.",
        ),
    ),
}


def load_config(
    preset: str | None = None, changes: Sequence[str] = (), *, method: str | Method | None = None
) -> FitPlan:
    """A preset or a method, with single values changed by texts such as ``train.epochs=5``.

    Settings that the method does not read are refused. A change ``method=pca`` says the same as ``method``. Without
    either, the preset is `veil`. A preset is its method: another one is refused, unless the preset has no values of its
    own that would be lost.
    """
    named = [change.partition("=")[2].strip() for change in changes if change.partition("=")[0] == "method"]
    method = named[-1] if named else method
    preset = preset or DEFAULT_PRESET
    chosen = PRESETS.get(preset)
    if chosen is None:
        near = did_you_mean(preset, PRESETS)
        raise UsageError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}.{near}")
    found = load_method(method or chosen.method)
    if chosen.values and found.name != chosen.method:
        raise UsageError(
            f"method must be {chosen.method}, which the preset {preset!r} is made of, got {found.name!r}. "
            "Leave out the preset, or the method."
        )
    start = check_settings(found.Settings, chosen.values)
    others = [change for change in changes if change.partition("=")[0] != "method"]
    return FitPlan(
        found, change_settings(start, others, owner=f"the method {found.name}"), notes=chosen.notes
    )
