"""Latentveil: latent anonymization for video features, and an audit of what an attacker can still learn."""

from importlib import import_module

__version__ = "0.2.0.dev0"

_HOMES = {
    "Adapter": "latentveil.adapters.adapter",
    "FeatureSet": "latentveil.types",
    "FeatureStore": "latentveil.store",
    "Labels": "latentveil.labels",
    "load_adapter": "latentveil.adapters.adapter",
    "load_encoder": "latentveil.encoders",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str):
    """Import a public name when it is first asked for, so that ``import latentveil`` stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'latentveil' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
