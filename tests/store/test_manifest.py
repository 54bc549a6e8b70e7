from __future__ import annotations

import json
from dataclasses import replace

import pytest

from latentveil.errors import InputError
from latentveil.store.manifest import Derivation, read_manifest, require_same_settings, write_manifest
from latentveil.types import ClipTiming


def derived(**changes):
    return Derivation(**{"store": "raw", "adapter": "veil", "adapter_sha256": "ab" * 32, "dim": 5} | changes)


def test_manifest_survives_the_disk(tmp_path, build):
    manifest = build.manifest(derived_from=derived(parent=derived(adapter="first")), fps=29.97)
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_dim_is_the_adapters_where_there_is_one(build):
    assert build.manifest().dim == 8
    assert build.manifest(derived_from=derived()).dim == 5


def test_the_timing_is_that_of_the_encoders_clips(build):
    encoder = replace(build.manifest().encoder, clip_frames=64)
    assert build.manifest(encoder=encoder, fps=12.5).timing == ClipTiming(64, 12.5)


def test_the_stride_is_written_out_as_the_clip_length_unless_given(tmp_path, build):
    manifest = build.manifest()
    assert manifest.sampling.stride_frames == manifest.encoder.clip_frames == 16
    short = build.manifest(encoder=replace(manifest.encoder, clip_frames=4))
    assert short.sampling.stride_frames == 4
    dense = build.manifest(sampling=replace(manifest.sampling, stride_frames=8))
    with pytest.raises(InputError, match="stride_frames is 16 there, got 8"):
        require_same_settings(manifest, dense, path=tmp_path)


def test_a_manifest_without_a_stride_is_one_of_clips_that_do_not_overlap(tmp_path, build):
    write_manifest(tmp_path, build.manifest())
    path = tmp_path / "manifest.json"
    raw = json.loads(path.read_text())
    del raw["sampling"]["stride_frames"]
    path.write_text(json.dumps(raw))
    assert read_manifest(tmp_path) == build.manifest()


@pytest.mark.parametrize(
    ("change", "values"),
    [
        (lambda m: {"encoder": replace(m.encoder, name="i3d")}, ("encoder.name", "'tiny'", "'i3d'")),
        (lambda m: {"encoder": replace(m.encoder, weights_sha256="f" * 64)}, ("0" * 64, "f" * 64)),
        (lambda m: {"sampling": replace(m.sampling, static_clips=3)}, ("sampling.static_clips", "2", "3")),
        (lambda m: {"sampling": replace(m.sampling, clips=5)}, ("sampling.clips", "'all'", "5")),
        (lambda _: {"dtype": "float16"}, ("dtype", "'float32'", "'float16'")),
        (lambda _: {"derived_from": derived()}, ("derived_from.adapter_sha256", "ab" * 32)),
    ],
)
def test_a_changed_setting_is_refused_with_both_values(tmp_path, build, change, values):
    manifest = build.manifest()
    changed = manifest.model_copy(update=change(manifest))
    with pytest.raises(InputError) as error:
        require_same_settings(manifest, changed, path=tmp_path)
    for value in values:
        assert value in str(error.value)
    assert manifest.settings_sha256 != changed.settings_sha256


def test_backend_counts_and_the_sources_path_are_not_settings(tmp_path, build):
    first = build.manifest(derived_from=derived(store="/here/raw"))
    second = build.manifest(derived_from=derived(store="/there/raw"), backend="onnx", complete=True)
    require_same_settings(first, second, path=tmp_path)
    assert first.settings_sha256 == second.settings_sha256


def test_settings_added_later_leave_the_fingerprint_of_older_shards(build):
    assert build.manifest().settings_sha256.startswith("4270d8a84a8c17b2")
    assert build.manifest(derived_from=derived()).settings_sha256.startswith("6755fa1b81a418cb")
    assert not build.manifest(derived_from=derived(seeded=True)).settings_sha256.startswith("6755")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda raw: raw | {"schema_version": 2}, "schema_version must be 1, got 2"),
        (lambda raw: raw | {"surprise": 1}, "surprise"),
        (lambda raw: raw | {"dtype": "float64"}, "dtype"),
        (lambda raw: raw | {"encoder": raw["encoder"] | {"dim": "8"}}, "encoder.dim"),
        (lambda _: [], "schema_version"),
    ],
)
def test_a_manifest_that_is_not_ours_is_refused(tmp_path, build, edit, words):
    write_manifest(tmp_path, build.manifest())
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(edit(json.loads(path.read_text()))))
    with pytest.raises(InputError, match=words):
        read_manifest(tmp_path)


def test_no_manifest_and_no_json_are_refused(tmp_path):
    with pytest.raises(InputError, match="must be a feature store"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff{")
    with pytest.raises(InputError, match="got no JSON"):
        read_manifest(tmp_path)
