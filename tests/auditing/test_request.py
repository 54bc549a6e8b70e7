"""An audit is never replaced: the same one is found again, another one is refused, a stopped one goes on."""

import pytest

from latentveil.auditing import in_memory
from latentveil.auditing.finished import FOLDER
from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.errors import InputError, Notice
from latentveil.files.requests import REQUEST_FILE

OPTIONS = {"secrets": "gender", "attacks": ["lda"], "tasks": None, "recipient": None, "progress": False}


@pytest.fixture
def audited(toy, tmp_path):
    audit(toy.features, toy.features, toy.labels, tmp_path, **OPTIONS)
    return tmp_path


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_the_same_audit_is_found_again(toy, audited, monkeypatch):
    (audited / FOLDER).mkdir()  # as a run leaves it that was killed at its very end
    monkeypatch.setattr(in_memory, "audit_features", None)  # nothing is measured a second time
    before = content(audited)
    with pytest.warns(Notice, match="holds this very audit already: nothing is measured again"):
        again = audit(toy.features, toy.features, toy.labels, audited, **OPTIONS)
    assert again == load_audit(audited)
    assert content(audited) == before
    assert not (audited / FOLDER).exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 1}, "seed is 0 there, got 1"),
        ({"limit": 0.2}, r"limit is None there, got 0\.2"),
        ({"attacks": ["lda", "linear"]}, r"attacks is \['lda'\] there, got \['lda', 'linear'\]"),
        ({"recipient": "labels"}, "recipient is None there, got 'labels'"),
    ],
)
def test_another_audit_is_refused_and_nothing_is_lost(toy, audited, changes, said):
    before = content(audited)
    with pytest.raises(
        InputError, match=f"must hold an audit of the same inputs and settings, got one of.*{said}"
    ):
        audit(toy.features, toy.features, toy.labels, audited, **OPTIONS | changes)
    assert content(audited) == before


def test_an_audit_of_other_features_is_refused(toy, audited):
    other = toy.features.with_feature(toy.features.feature + 1)
    with pytest.raises(InputError, match=r"anonymized is 'checksum .*' there, got 'checksum"):
        audit(toy.features, other, toy.labels, audited, **OPTIONS)


def test_one_of_which_nobody_knows_what_was_asked_is_refused(toy, audited):
    (audited / REQUEST_FILE).unlink()
    with pytest.raises(
        InputError, match=r"must be a new folder, or hold an audit of the same .*, got another one"
    ):
        audit(toy.features, toy.features, toy.labels, audited, **OPTIONS)


def test_one_that_was_stopped_while_it_wrote_goes_on(toy, audited):
    (audited / REQUEST_FILE).unlink()
    (audited / FOLDER).mkdir()
    (audited / "report.html").unlink()
    audit(toy.features, toy.features, toy.labels, audited, **OPTIONS)
    assert {"audit.json", "report.html", REQUEST_FILE} <= set(content(audited))
    assert not (audited / FOLDER).exists()
