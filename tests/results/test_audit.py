"""Results are records that turn to JSON and back without loss, whatever is not known in them."""

import json
from dataclasses import replace

import pytest

from latentveil.errors import InputError
from latentveil.results import risks
from latentveil.results.audit import (
    AttackLeakage,
    AuditResults,
    Flag,
    FloorLevel,
    Measured,
    NotTested,
    SecretLeakage,
    Summary,
    Worst,
)
from latentveil.results.certificate import Certificate, Exchangeability, NoiseBound
from latentveil.types import Interval

NAN = float("nan")
ENDS = Interval(0.6, 0.5, NAN)
PEOPLE = risks.PeopleInference("gender", "lda", 9, 0.5, ENDS, 0.9, 0.8, {"men": ENDS})
LINKED = risks.LinkScore(("coral", "cosine"), 9, 30, 300, ENDS, ENDS, None, ENDS, ENDS, 0.1, ENDS, 0.2)
KNOWN = risks.KnownVideos(None, ("lda",), ENDS, ENDS, precision=None)


def through_json(record):
    return type(record).from_dict(json.loads(json.dumps(record.to_dict(), allow_nan=False)))


def test_an_audit_reads_back_as_an_equal_object(example_audit, reading):
    full = replace(
        example_audit,
        secrets={"gender": reading("gender", stills=reading("gender", kind="static"))},
        risks=risks.Risks(
            singling_out=risks.SinglingOut(9, 18, 5, 0.1, raw=(KNOWN,), anonymized=(KNOWN, KNOWN)),
            linkability=risks.Linkability(
                "raw", raw={"other_recording": risks.Links(LINKED, None, "")}, anonymized={}
            ),
            inference={"gender": risks.Inference(raw=PEOPLE, anonymized=PEOPLE)},
        ),
        recipient=risks.Recipient("raw", holds="everything", allows="anything"),
        flags=[Flag("few", "three people")],
        not_tested=[NotTested("hat", "one value")],
        certificate=Certificate(
            bound=NoiseBound(1.0, 0.38, 0.69, 0.09, False, 8, 0.3, ["any attacker"]),
            exchangeability=[
                Exchangeability(
                    "person", "action", 8, 96, 499, 0.002, "cosine", {"cosine": 9.0}, {"0.1": 0.4}
                )
            ],
        ),
    )
    found = through_json(full)
    assert found == full
    assert isinstance(found.secrets["gender"], SecretLeakage)
    assert isinstance(found.secrets["gender"].stills.worst.raw, Interval)
    assert isinstance(found.secrets["gender"].attacks["lda"].raw, Measured)
    assert found.risks.linkability.raw["other_recording"].video.attacks == ("coral", "cosine")
    assert found.encoder == full.encoder
    assert isinstance(found.encoder.mean, tuple)


def test_records_that_differ_anywhere_are_not_equal(reading):
    assert reading() == reading()
    assert reading() != reading(anonymized=0.41)
    assert reading() != reading(stills=reading(kind="static"))
    assert Flag("a", "b") != NotTested("a", "b")


def test_what_is_not_known_is_null_in_json_and_the_records_stay_equal():
    unknown = Measured(0.4, NAN, NAN, {"cmap": NAN})
    attack = AttackLeakage(raw=unknown, anonymized=unknown)
    assert attack.to_dict()["raw"] == {"value": 0.4, "low": None, "high": None, "details": {"cmap": None}}
    assert attack.raw.to_dict() == attack.to_dict()["raw"]
    assert through_json(attack) == attack
    assert through_json(Worst(unknown.interval, unknown.interval, "lda", "lda")).raw.low != 0


def test_nothing_and_not_a_number_stay_apart():
    summary = Summary(leakage_removed=None, utility_kept=0.5, nhv=None)
    assert through_json(summary).leakage_removed is None
    assert through_json(FloorLevel(0.5, None, [0.4, 0.6])).repeats == [0.4, 0.6]


def test_the_layout_is_that_of_the_design(example_audit, reading):
    audit = replace(
        example_audit, secrets={"gender": reading("gender", stills=reading("gender", kind="static"))}
    )
    values = audit.to_dict()
    assert values["schema"] == 2
    gender = values["secrets"]["gender"]
    assert (gender["kind"], gender["stills"]["kind"], gender["stills"]["stills"]) == (
        "temporal",
        "static",
        None,
    )
    assert gender["worst"].keys() == {"raw", "anonymized", "attack", "raw_attack"}
    assert values["risks"] == {"singling_out": None, "linkability": None, "inference": {}}
    assert (values["recipient"], values["flags"], values["certificate"]) == (None, [], None)
    assert "extras" not in values


def test_readings_are_every_secret_from_every_kind_of_clips(example_audit, reading):
    audit = replace(
        example_audit,
        secrets={
            "gender": reading("gender", stills=reading("gender", kind="static")),
            "hat": reading("hat", kind="static"),
        },
    )
    assert [(one.secret, one.kind) for one in audit.readings] == [
        ("gender", "temporal"),
        ("gender", "static"),
        ("hat", "static"),
    ]


def test_keys_of_later_versions_are_left_out_and_missing_ones_are_named(example_audit):
    values = example_audit.to_dict()
    assert AuditResults.from_dict(values | {"colour": "red"}).to_dict() == values
    del values["seed"]
    with pytest.raises(InputError, match="AuditResults must have 'seed'"):
        AuditResults.from_dict(values)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"seed": "zero"}, "must be of type int here, got 'zero'"),
        ({"secrets": []}, "must be of type dict here"),
        ({"flags": {}}, "must be of type list here"),
        (
            {"summary": {"leakage_removed": "much", "utility_kept": None, "nhv": None}},
            "int or float here, got 'much'",
        ),
    ],
)
def test_values_of_another_type_are_refused(example_audit, change, complaint):
    with pytest.raises(InputError, match=complaint):
        AuditResults.from_dict(example_audit.to_dict() | change)
