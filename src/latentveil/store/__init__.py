"""The feature store: a folder of Parquet shards and a manifest.

`write.py` and `read.py` are its two sides; `manifest.py` is what it says of itself, `shard.py` and `shard_file.py` a
shard. `files.py` has the verbs that import and export, `derive.py` makes one store from another, `verify.py` checks
one. `lock.py`, `claims.py` and `presence.py` keep runs apart that write at the same time. `sources.py` is what verbs
take for features: a path, a store, a feature set or arrays.
"""

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
