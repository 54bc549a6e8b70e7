"""`veil audit` hands its options on: what is asked for is in audit.json, and nothing else on standard output."""

import json

import pytest

from latentveil.cli import audit as audit_command
from latentveil.store import Manifest, StoreWriter
from latentveil.types import EncoderInfo, Sampling


@pytest.fixture(scope="module")
def folder(toy, tmp_path_factory):
    """A store and its labels."""
    path = tmp_path_factory.mktemp("audit")
    encoder = EncoderInfo("toy", "0" * 64, toy.features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
    manifest = Manifest(encoder=encoder, sampling=Sampling(static_clips=3))
    with StoreWriter(path / "raw", manifest) as writer:
        writer.write_shard(toy.features)
        writer.finish()
    toy.labels.write(path / "labels.csv")
    return path


def test_a_floor_is_measured_when_asked_for(folder, capsys):
    audit_command.command(
        folder / "raw",
        folder / "raw",
        labels=folder / "labels.csv",
        output=folder / "audit",
        secrets="identity",
        attacks="lda",
        tasks="none",
        floor=2,
        as_json=True,
    )
    printed = json.loads(capsys.readouterr().out)
    assert json.loads((folder / "audit" / "audit.json").read_text()) == printed
    assert set(printed["secrets"]) == {"identity", "identity_static"}
    for secret in printed["secrets"].values():
        assert len(secret["floor"]["repeats"]) == 2
        assert secret["leakage_removed_over_floor"] == pytest.approx(0.0, abs=1e-9)
    assert printed["summary"]["leakage_removed_over_floor"] == pytest.approx(0.0, abs=1e-9)
