"""The privacy card says what an audit found, and what it did not try."""

from latentveil.adapters.adapter import Adapter
from latentveil.report.card import privacy_card

CONFIG = Adapter(dim=8, heads=2, noise_rank=2).config  # says in words what its network is
UNKNOWN = {"value": 0.4, "low": None, "high": None}
AUDIT = {
    "secrets": {
        "gender": {
            "kind": "temporal",
            "chance": 0.5,
            "attacks": {"lda": {}, "mlp": {}},
            "worst": {"raw": {"value": 0.9, "low": 0.8, "high": 1.0}, "anonymized": UNKNOWN, "attack": "lda"},
            "leakage_removed": None,
        }
    },
    "tasks": {},
}


def test_an_adapter_without_an_audit_says_so():
    card = privacy_card(CONFIG, audit=None)
    assert "Not audited yet" in card
    assert "adds Gaussian noise" in card


def test_findings_are_followed_by_the_notes_and_unknown_intervals_are_left_out():
    card = privacy_card(CONFIG, audit=AUDIT, notes=["First note.", "Second note."])
    assert "Attacks: lda, mlp." in card
    assert "| gender | clips | 0.50 | 0.90 [0.80, 1.00] | 0.40 (lda) | – |" in card
    findings, _, use = card.partition("## Use")
    assert findings.endswith("\n\nFirst note.\n\nSecond note.\n\n")
    assert "veil apply" in use


def test_a_codebook_is_described_by_what_it_has():
    config = Adapter(dim=12, architecture="codebook", directions=3, prototypes=5).config
    assert "| network | codebook of 5 prototypes in 3 directions, in closed form |" in privacy_card(
        config, audit=None
    )
