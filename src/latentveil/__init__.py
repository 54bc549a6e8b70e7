"""Latentveil: latent anonymization for video features, and an audit of what an attacker can still learn.

import latentveil as lv

raw = lv.extract("videos/", "raw.store")
adapter = lv.fit(raw, "labels.csv", tasks=["action"])
safe = lv.apply(adapter, raw, "safe.store")
print(lv.audit(raw, safe, "labels.csv", adapter=adapter))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from latentveil.machine.threads import calm_threads

calm_threads()  # before anything imports torch

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from latentveil.adapters.adapter import Adapter as Adapter
    from latentveil.adapters.adapter import load_adapter as load_adapter
    from latentveil.adapters.protect import protect as protect
    from latentveil.auditing.result import Audit as Audit
    from latentveil.auditing.result import load_audit as load_audit
    from latentveil.auditing.run import audit as audit
    from latentveil.encoders import load_encoder as load_encoder
    from latentveil.extraction.extract import extract as extract
    from latentveil.front.apply import apply as apply
    from latentveil.front.fit import fit as fit
    from latentveil.labels import Labels as Labels
    from latentveil.pixels.anonymizer import PixelAnonymizer as PixelAnonymizer
    from latentveil.store.files import export_features as export_features
    from latentveil.store.files import import_features as import_features
    from latentveil.store.read import FeatureStore as FeatureStore
    from latentveil.tasks.evaluate import evaluate as evaluate
    from latentveil.types import FeatureSet as FeatureSet

# Where each public name lives: it is imported when it is first asked for, so that `import latentveil` is instant.
_HOMES = {
    "Adapter": "adapters.adapter",
    "Audit": "auditing.result",
    "FeatureSet": "types",
    "FeatureStore": "store.read",
    "Labels": "labels",
    "PixelAnonymizer": "pixels.anonymizer",
    "apply": "front.apply",
    "audit": "auditing.run",
    "evaluate": "tasks.evaluate",
    "export_features": "store.files",
    "extract": "extraction.extract",
    "fit": "front.fit",
    "import_features": "store.files",
    "load_adapter": "adapters.adapter",
    "load_audit": "auditing.result",
    "load_encoder": "encoders",
    "protect": "adapters.protect",
}

__all__ = [
    "Adapter",
    "Audit",
    "FeatureSet",
    "FeatureStore",
    "Labels",
    "PixelAnonymizer",
    "__version__",
    "apply",
    "audit",
    "evaluate",
    "export_features",
    "extract",
    "fit",
    "import_features",
    "load_adapter",
    "load_audit",
    "load_encoder",
    "protect",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'latentveil' has no attribute {name!r}")
    return getattr(import_module(f"latentveil.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
