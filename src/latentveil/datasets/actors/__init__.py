"""The embedded data set: procedural videos of moving people with private attributes, the same for the same seed."""

from importlib import import_module

_HOMES = {
    "Video": "description",
    "action_videos": "action",
    "anomaly_videos": "anomaly",
    "bias_videos": "bias",
    "describe": "tasks",
    "detection_videos": "detection",
    "gait_videos": "gait",
    "image_videos": "images",
    "labels_of": "write",
    "render": "renderer",
    "write_dataset": "write",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    """Import a public name when it is first asked for, so that describing videos does not load a codec."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
