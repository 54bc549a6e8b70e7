"""An audit's files can be drawn again and filled into a card, and nothing else passes for an audit."""

import json

import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.auditing.files import fill_card, read_audit, write_report
from latentveil.cli import card as card_command
from latentveil.cli import report as report_command
from latentveil.errors import InputError
from latentveil.report.page import Extras, FeatureMap

ENDS = {"value": 0.4, "low": 0.3, "high": 0.5}
AUDIT = {
    "schema": 1,
    "version": "0",
    "encoder": {"name": "toy", "weights_sha256": "ab"},
    "adapter": None,
    "data": {"videos": 10, "clips": 30, "labels": "labels.csv"},
    "seed": 0,
    "secrets": {
        "identity": {
            "kind": "temporal",
            "metric": "top1",
            "chance": 0.1,
            "attacks": {"lda": {"raw": ENDS, "anonymized": ENDS}},
            "worst": {"raw": ENDS, "anonymized": ENDS, "attack": "lda"},
            "leakage_removed": 0.37,
        }
    },
    "tasks": {},
    "summary": {"leakage_removed": 0.37, "utility_kept": None, "nhv": None},
}
EXTRAS = Extras(
    training_log=[{"epoch": 0, "budget": 2.0}, {"epoch": 1, "budget": 5.0}],
    feature_map=FeatureMap(
        "identity", [0, 1], ["a", "b"], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.5, 0.0]]
    ),
    pictures={"originals": b"\x89PNG"},
)


@pytest.fixture
def audit_folder(tmp_path):
    write_report(tmp_path / "audit", AUDIT, EXTRAS)
    return tmp_path / "audit"


@pytest.mark.parametrize("given", ["", "audit.json"])
def test_the_page_is_drawn_again_with_all_it_had(audit_folder, tmp_path, given, capsys):
    output = tmp_path / "new" / "page.html"
    report_command.command(audit_folder / given, output)
    assert output.read_text() == (audit_folder / "report.html").read_text()
    assert capsys.readouterr().out == f"{output}\n"


def test_numbers_alone_make_a_page_beside_them(audit_folder):
    (audit_folder / "extras.json").unlink()
    (audit_folder / "report.html").unlink()
    report_command.command(audit_folder)
    page = (audit_folder / "report.html").read_text()
    assert "37%" in page
    assert "before and after" not in page


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "must be an audit.json, got: Expecting"),
        ("[]", "with secrets, tasks and summary"),
        (json.dumps({"schema": 1}), "with secrets, tasks and summary"),
        (json.dumps(AUDIT | {"schema": 2}), "must be of schema 1, got 2"),
    ],
)
def test_other_files_are_refused(tmp_path, content, complaint):
    path = tmp_path / "audit.json"
    path.write_text(content)
    with pytest.raises(InputError, match=complaint):
        read_audit(path)


def test_a_folder_without_an_audit_is_refused(tmp_path):
    with pytest.raises(InputError, match="Run `veil audit` first"):
        read_audit(tmp_path)


def test_a_card_tells_what_the_audit_found(audit_folder, tmp_path):
    adapter = tmp_path / "adapter"
    Adapter(dim=4, architecture="affine").save_pretrained(adapter)
    assert "Not audited yet" in (adapter / "README.md").read_text()
    card_command.command(adapter, audit_folder)
    text = (adapter / "README.md").read_text()
    assert "Not audited yet" not in text
    assert "| identity | clips | 0.10 | 0.40 [0.30, 0.50] |" in text


def test_a_card_needs_an_adapter(tmp_path):
    with pytest.raises(InputError, match=r"must be an adapter folder with config\.json"):
        fill_card(tmp_path, AUDIT)


def test_the_audit_of_another_adapter_does_not_fill_a_card(tmp_path):
    adapter = tmp_path / "adapter"
    Adapter(dim=4, architecture="affine").save_pretrained(adapter)
    other = AUDIT | {"adapter": {"name": "other", "sha256": "0" * 64}}
    with pytest.raises(InputError, match="must be the one that made the audited features"):
        fill_card(adapter, other)
    assert "Not audited yet" in (adapter / "README.md").read_text()
