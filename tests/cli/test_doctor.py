import json

import pytest
import typer

from latentveil.cli import diagnosis, doctor
from latentveil.cli.diagnosis import Finding


@pytest.fixture
def findings(monkeypatch):
    found = [Finding("torch", "ok", "2.13.0"), Finding("cores", "warning", "1", "Give it more [cores].")]
    monkeypatch.setattr(diagnosis, "diagnose", lambda **_: found)
    return found


@pytest.mark.usefixtures("findings")
def test_warnings_are_shown_with_their_fix_and_pass(capsys):
    doctor.command()
    printed = capsys.readouterr().out
    assert "2.13.0" in printed
    assert "Give it more [cores]." in printed


def test_a_problem_ends_with_status_2(findings, capsys):
    findings.append(Finding("av", "problem", "not installed", "pip install av"))
    with pytest.raises(typer.Exit) as leaving:
        doctor.command(as_json=True)
    assert leaving.value.exit_code == 2
    report = json.loads(capsys.readouterr().out)
    assert report["healthy"] is False
    assert report["findings"][-1] == {
        "name": "av",
        "state": "problem",
        "detail": "not installed",
        "fix": "pip install av",
    }
