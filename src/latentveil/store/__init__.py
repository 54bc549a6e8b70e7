"""The feature store: a folder of Parquet shards and a manifest."""

from latentveil.store.derive import derive_store
from latentveil.store.manifest import Derivation, Manifest
from latentveil.store.read import FeatureStore
from latentveil.store.verify import find_problems
from latentveil.store.write import ShardWriter, StoreWriter

__all__ = [
    "Derivation",
    "FeatureStore",
    "Manifest",
    "ShardWriter",
    "StoreWriter",
    "derive_store",
    "find_problems",
]
