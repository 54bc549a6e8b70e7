"""`veil audit` hands its options on: what is asked for is in audit.json, and nothing else on standard output."""

import json

import pytest

from latentveil.cli import audit as audit_command


def test_a_floor_is_measured_when_asked_for(toy_folder, tmp_path, capsys):
    audit_command.command(
        toy_folder / "raw",
        toy_folder / "raw",
        labels=toy_folder / "labels.csv",
        output=tmp_path / "audit",
        secrets="identity",
        attacks="lda",
        tasks="none",
        floor=2,
        recipient="none",
        as_json=True,
    )
    printed = json.loads(capsys.readouterr().out)
    assert json.loads((tmp_path / "audit" / "audit.json").read_text()) == printed
    assert set(printed["secrets"]) == {"identity"}
    assert printed["recipient"] is None
    for secret in (printed["secrets"]["identity"], printed["secrets"]["identity"]["stills"]):
        assert len(secret["floor"]["repeats"]) == 2
        assert secret["leakage_removed_over_floor"] == pytest.approx(0.0, abs=1e-9)
    assert printed["summary"]["leakage_removed_over_floor"] == pytest.approx(0.0, abs=1e-9)


def test_the_recipient_the_limit_and_the_certificate_are_handed_on(toy_folder, tmp_path, capsys):
    audit_command.command(
        toy_folder / "raw",
        toy_folder / "raw",
        labels=toy_folder / "labels.csv",
        output=tmp_path / "audit",
        secrets="identity",
        attacks="lda",
        tasks="none",
        recipient="features",
        limit=0.1,
        certify=True,
    )
    printed = capsys.readouterr().out
    unchanged, verdict, *_ = printed.splitlines()
    assert unchanged.startswith("The audited features are the raw ones, unchanged")
    assert verdict.startswith("FAILED")
    assert json.loads((tmp_path / "audit" / "audit.json").read_text())["certificate"]["why_no_bound"]
    assert "for a recipient who holds the anonymized features and nothing else" in printed
