"""A store gives the values that were written or an error, never others."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from latentveil.errors import InputError
from latentveil.store import Derivation, FeatureStore, derive_store
from latentveil.store.derive import ShardTask, transform_shard
from latentveil.store.export_features import export_npz
from latentveil.store.shard_file import FOOTER_KEY


def rewrite(path, edit_table=lambda table: table, edit_footer=lambda footer: footer, groups=None):
    """The shard with other rows or another footer, as somebody would write it who knows Parquet."""
    file = pq.ParquetFile(path)
    table, footer = file.read(), json.loads(file.metadata.metadata[FOOTER_KEY])
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(edit_table(table), row_group_size=groups or len(table))
        writer.add_key_value_metadata({FOOTER_KEY: json.dumps(edit_footer(footer))})


def swap_names(table):
    names = {"a": "b", "b": "a"}
    return table.set_column(
        0, table.schema.field(0), pa.array([names[name] for name in table["video"].to_pylist()])
    )


def other_value(table):
    values = table["feature"].combine_chunks().flatten().to_numpy().copy()
    values[3] += 1e-6
    column = pa.FixedSizeListArray.from_arrays(pa.array(values), type=table.schema.field(6).type)
    return table.set_column(6, table.schema.field(6), column)


TAMPERED = {
    "shuffled rows": {"edit_table": lambda table: table.take(list(range(len(table)))[::-1])},
    "swapped names": {"edit_table": swap_names},
    "another value": {"edit_table": other_value},
    "wrong counts": {"edit_footer": lambda footer: footer | {"videos": [["a", 1, 5], ["b", 3, 3]]}},
    "other videos": {"edit_footer": lambda footer: footer | {"videos": [["b", 2, 4], ["a", 2, 4]]}},
    "another checksum": {"edit_footer": lambda footer: footer | {"groups": ["0" * 64]}},
    "no checksums": {"edit_table": other_value, "edit_footer": lambda footer: footer | {"groups": None}},
    "other row groups": {"groups": 5},
}


@pytest.fixture
def store(tmp_path, build):
    return build.store(tmp_path / "s", [["a", "b"]]).path


def derived(store, tmp_path):
    derivation = Derivation(store=str(store), adapter="x", adapter_sha256="0" * 64, dim=8)
    return derive_store(
        FeatureStore(store), tmp_path / "safe", derivation=derivation, transform=lambda part: part.feature
    )


@pytest.mark.parametrize("how", TAMPERED)
def test_nothing_is_read_or_derived_from_a_shard_that_was_changed(store, tmp_path, how):
    shard = next(store.glob("*.parquet"))
    rewrite(shard, **TAMPERED[how])
    task = ShardTask(store, shard.name, "float32", 8)
    readers = {
        "read": lambda: FeatureStore(store).read(),
        "video": lambda: FeatureStore(store).video_array("a"),
        "shards": lambda: list(FeatureStore(store).shards()),
        "derive": lambda: derived(store, tmp_path),
        "derive elsewhere": lambda: transform_shard(task, lambda part: part.feature),
        "export": lambda: export_npz(FeatureStore(store), tmp_path / "out.npz"),
    }
    for read in readers.values():
        with pytest.raises(InputError, match="must be whole"):
            read()
    assert not list((tmp_path / "safe").glob("*.parquet"))
    assert not (tmp_path / "out.npz").exists()


def test_no_single_bit_changes_what_is_derived(store, tmp_path, build):
    wanted = FeatureStore(store).read()
    shard = next(store.glob("*.parquet"))
    whole = shard.read_bytes()
    refused = 0
    for place in np.random.default_rng(1).choice(len(whole), 60, replace=False).tolist():
        broken = bytearray(whole)
        broken[place] ^= 0x04
        shard.write_bytes(broken)
        found = None
        with suppress(InputError):
            found = FeatureStore(store).read()
        if found is None:
            refused += 1
        else:
            build.same_rows(found, wanted)
    assert refused > 30


def test_a_store_of_an_older_version_is_checked_as_a_whole(store):
    """Its shards have no checksums of row groups, and its manifest none of the footers."""
    shard = next(store.glob("*.parquet"))
    manifest = json.loads((store / "manifest.json").read_text())
    del manifest["shards"][shard.name]["footer_sha256"]
    (store / "manifest.json").write_text(json.dumps(manifest))

    def without_groups(footer):
        return {name: value for name, value in footer.items() if name != "groups"}

    rewrite(shard, edit_footer=without_groups)
    assert len(FeatureStore(store).read()) == 12
    rewrite(shard, edit_table=other_value, edit_footer=without_groups)
    with pytest.raises(InputError, match="other values"):
        FeatureStore(store).read()


@pytest.mark.parametrize("name", ["{outside}", "../other/{name}", "sub/{name}", "shard-..", "x.parquet", ""])
def test_a_shard_name_cannot_leave_the_store(store, tmp_path, name):
    shard = next(store.glob("*.parquet"))
    other = tmp_path / "other"
    other.mkdir()
    shard.rename(other / shard.name)
    manifest = json.loads((store / "manifest.json").read_text())
    chosen = name.format(outside=other / shard.name, name=shard.name)
    manifest["shards"] = {chosen: manifest["shards"][shard.name]}
    (store / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="must be a manifest, got at 'shards"):
        FeatureStore(store).read()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda raw: raw.update(shards={}), "must count what its 0 shards hold"),
        (lambda raw: raw["encoder"].update(dim=9), "must be whole"),
        (lambda raw: raw["encoder"].update(dim=10**9), "must be from 1"),
        (lambda raw: raw["encoder"].update(dim=0), "must be from 1"),
        (lambda raw: raw["counts"].update(clips=-12), "greater than or equal to 0"),
        (lambda raw: raw["counts"].update(static=10**12), "must count"),
        (lambda raw: next(iter(raw["shards"].values())).update(videos=3), "must count"),
    ],
)
def test_an_edited_manifest_is_refused_with_a_sentence(store, edit, words):
    raw = json.loads((store / "manifest.json").read_text())
    edit(raw)
    (store / "manifest.json").write_text(json.dumps(raw))
    with pytest.raises(InputError, match=words):
        FeatureStore(store).read()


def test_json_that_is_nested_without_end_is_refused(store):
    (store / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="nested too deep"):
        FeatureStore(store)


def test_a_shard_without_permission_is_not_told_to_be_damaged(store, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pq, "ParquetFile", refuse)
    with pytest.raises(
        InputError, match=r"must be readable, got: Permission denied. Give yourself the right"
    ):
        FeatureStore(store).read()
