"""A saved audit can be drawn again and filled into a card, and no other adapter's card is."""

from dataclasses import replace

import pytest

import latentveil as lv
from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.forget import forget_key
from latentveil.auditing.files import fill_card
from latentveil.cli import card as card_command
from latentveil.cli import report as report_command
from latentveil.errors import InputError
from latentveil.report.page import Extras, FeatureMap
from latentveil.results.audit import AuditedAdapter

EXTRAS = Extras(
    training_log=[{"epoch": 0, "budget": 2.0}, {"epoch": 1, "budget": 5.0}],
    feature_map=FeatureMap(
        "identity", [0, 1], ["a", "b"], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.5, 0.0]]
    ),
    pictures={"originals": b"\x89PNG"},
)


@pytest.fixture
def audit_folder(example_audit, tmp_path):
    return replace(example_audit, extras=EXTRAS).save(tmp_path / "audit")


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
    assert "62%" in page
    assert "before and after" not in page


def test_a_card_tells_what_the_audit_found(audit_folder, tmp_path):
    adapter = tmp_path / "adapter"
    Adapter(dim=4, architecture="affine").save_pretrained(adapter)
    assert "Not audited yet" in (adapter / "README.md").read_text()
    card_command.command(adapter, audit_folder)
    text = (adapter / "README.md").read_text()
    assert "Not audited yet" not in text
    assert "| identity | stored clips | 0.10 | 0.90 [0.85, 0.95] |" in text


def test_a_card_needs_an_adapter(example_audit, tmp_path):
    with pytest.raises(InputError, match=r"must be an adapter folder with config\.json"):
        fill_card(tmp_path, example_audit)


def test_the_audit_of_another_adapter_does_not_fill_a_card(example_audit, tmp_path):
    adapter = tmp_path / "adapter"
    Adapter(dim=4, architecture="affine").save_pretrained(adapter)
    other = replace(example_audit, adapter=AuditedAdapter("other", "0" * 64))
    with pytest.raises(InputError, match="must be the one that made the audited features"):
        fill_card(adapter, other)
    assert "Not audited yet" in (adapter / "README.md").read_text()


@pytest.fixture
def with_key(toy_folder, tmp_path):
    """The folder of an adapter with a key."""
    options = {"groups": "person", "release": True, "settings": ["transport.components=4"], "progress": False}
    lv.fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "adapter", **options)
    return tmp_path / "adapter"


def test_an_audit_from_before_the_key_was_destroyed_fills_the_card(example_audit, with_key):
    before = AuditedAdapter("adapter", load_adapter(with_key).sha256())
    fill_card(with_key, replace(example_audit, adapter=before))
    forget_key(with_key)
    kept = (with_key / "README.md").read_text()
    assert "| identity | stored clips | 0.10 | 0.90 [0.85, 0.95] |" in kept
    fill_card(with_key, replace(example_audit, adapter=before))
    assert (with_key / "README.md").read_text() == kept


def test_what_is_left_of_an_adapter_without_a_key_is_not_applied_again(example_audit, with_key):
    forget_key(with_key)
    other = replace(example_audit, adapter=AuditedAdapter("other", "0" * 64))
    with pytest.raises(InputError, match=r"Its key is destroyed: audit without it"):
        fill_card(with_key, other)
