"""An audit shows itself, is saved as files, and loads again as it was, also from the files of schema 1."""

import json
from dataclasses import replace

import pytest

from latentveil.auditing.result import Audit, load_audit
from latentveil.errors import InputError
from latentveil.report.page import Extras, FeatureMap

ENDS = {"value": 0.4, "low": 0.3, "high": None}
DETAILED = ENDS | {"details": {"cmap": 0.5}}


def entry_1(kind, **more):
    """A reading as version 0.1 wrote it."""
    return {
        "kind": kind,
        "metric": "top1",
        "num_videos": 12,
        "num_groups": 4,
        "chance": 0.1,
        "attacks": {"lda": {"raw": DETAILED, "anonymized": DETAILED, "settings": [{"shrinkage": 0.1}]}},
        "worst": {"raw": ENDS, "anonymized": ENDS, "attack": "lda", "raw_attack": "lda"},
        "leakage_removed": 0.37,
        "leakage_removed_interval": {"value": 0.37, "low": 0.1, "high": 0.5},
    } | more


SCHEMA_1 = {
    "schema": 1,
    "version": "0.1.0",
    "encoder": {
        "name": "toy",
        "weights_sha256": "ab",
        "dim": 24,
        "clip_frames": 16,
        "frame_size": 64,
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
        "pooling": "none",
    },
    "adapter": {"name": "veil", "sha256": "cd"},
    "data": {"videos": 12, "clips": 36, "labels": "labels.csv"},
    "seed": 3,
    "attacker": {"holds_adapter": True, "redrawn_copies": 4},
    "secrets": {
        "gender": entry_1("temporal"),
        "gender_static": entry_1(
            "static",
            leakage_removed=None,
            leakage_removed_interval=None,
            floor={"value": 0.2, "spread": None, "repeats": [0.2]},
            leakage_removed_over_floor=None,
            leakage_removed_over_floor_interval=None,
        ),
        "looks_static": entry_1("temporal"),  # a secret may be called so
        "hat_static": entry_1("static"),
    },
    "tasks": {
        "action": {"metric": "top1", "chance": 0.2, "raw": DETAILED, "anonymized": DETAILED, "kept": 1.0}
    },
    "summary": {"leakage_removed": 0.37, "utility_kept": 1.0, "nhv": 0.3},
    "inversion": {
        "kind": "temporal",
        "clips": {"train": 8, "validation": 2, "test": 2},
        "psnr": {"raw": ENDS, "adaptive": ENDS, "mean_frame": ENDS},
        "ssim": {"raw": ENDS, "adaptive": ENDS, "mean_frame": ENDS},
        "attribute": {
            "secret": "gender",
            "chance": 0.5,
            "original": ENDS,
            "raw": ENDS,
            "adaptive": ENDS,
            "mean_frame": ENDS,
        },
    },
}
EXTRAS = Extras(
    training_log=[{"epoch": 0, "budget": 2.0}],
    feature_map=FeatureMap(
        "identity", [0, 1], ["a", "b"], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.5, 0.0]]
    ),
    pictures={"originals": b"\x89PNG"},
)


def test_a_saved_audit_loads_as_an_equal_object_with_all_its_extras(example_audit, tmp_path):
    audit = replace(example_audit, extras=EXTRAS)
    assert audit.save(tmp_path / "new" / "audit") == tmp_path / "new" / "audit"
    for path in (tmp_path / "new" / "audit", tmp_path / "new" / "audit" / "audit.json"):
        found = load_audit(path)
        assert isinstance(found, Audit)
        assert found == audit
        assert found.extras == EXTRAS
    written = {path.name for path in (tmp_path / "new" / "audit").iterdir()}
    assert written == {"audit.json", "audit.md", "report.html", "extras.json"}
    assert json.loads((tmp_path / "new" / "audit" / "audit.json").read_text()) == audit.to_dict()


def test_schema_1_loads_into_the_same_objects(tmp_path):
    (tmp_path / "audit.json").write_text(json.dumps(SCHEMA_1))
    found = load_audit(tmp_path)
    assert list(found.secrets) == ["gender", "looks_static", "hat"]
    gender = found.secrets["gender"]
    assert (gender.kind, gender.worst.attack, gender.stills.kind) == ("temporal", "lda", "static")
    assert gender.leakage_removed_interval.high == 0.5
    assert gender.stills.leakage_removed is None
    assert gender.stills.floor.value == 0.2
    assert (found.secrets["hat"].kind, found.secrets["hat"].stills) == ("static", None)
    assert found.secrets["looks_static"].secret == "looks_static"
    assert found.tasks["action"].raw.details == {"cmap": 0.5}
    assert found.inversion.attribute.named["original"].value == 0.4
    assert found.encoder.dim == 24
    assert found.attacker.redrawn_copies == 4
    assert found.schema == 2
    found.save(tmp_path / "again")
    assert load_audit(tmp_path / "again") == found


def test_an_audit_prints_as_a_headline_and_a_line_per_reading_and_task(example_audit, reading):
    audit = replace(example_audit, secrets={"identity": reading(stills=reading(kind="static", removed=None))})
    lines = str(audit).splitlines()
    assert lines[0].startswith(
        "62% of what the best attack could learn is gone, on average over 1 of 2 readings"
    )
    readings = [line for line in lines if line.startswith("  ")]
    assert readings[0] == (
        "  identity, read from stored clips: raw 0.900 [0.850, 0.950], anonymized 0.400 [0.350, 0.450] (lda), "
        "guessing 0.100, removed 62% [42%, 72%]"
    )
    assert readings[1].startswith("  identity, read from stills:")
    assert readings[1].endswith("removed –")
    assert readings[2] == (
        "  action: raw 0.900 [0.850, 0.950], anonymized 0.810 [0.760, 0.860], guessing 0.250, kept 90%"
    )
    assert len(readings) == 3
    assert repr(audit) == str(audit)


def test_a_notebook_shows_the_headline_and_two_tables(example_audit, reading):
    html = replace(example_audit, secrets={"<b>": reading("<b>")})._repr_html_()
    assert html.count("<table>") == 2
    assert "62% [42%, 72%]" in html
    assert "&lt;b&gt;" in html
    assert "<b>, read from" not in html


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "must be an audit.json, got no JSON: Expecting"),
        ("[]", "must have secrets, tasks and summary"),
        (json.dumps({"schema": 1}), "must have secrets, tasks and summary"),
        (json.dumps(SCHEMA_1 | {"schema": 3}), "schema must be 1 or 2, got 3"),
        (json.dumps(SCHEMA_1 | {"schema": 2, "seed": None}), "must be of type int here, got None"),
        (json.dumps(SCHEMA_1 | {"secrets": {"gender": {"kind": "temporal"}}}), "SecretLeakage must have"),
    ],
)
def test_other_files_are_refused(tmp_path, content, complaint):
    path = tmp_path / "audit.json"
    path.write_text(content)
    with pytest.raises(InputError, match=complaint):
        load_audit(path)


def test_a_folder_without_an_audit_is_refused(tmp_path):
    with pytest.raises(InputError, match="Run `veil audit` first"):
        load_audit(tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "config.json"])
def test_an_audit_is_not_saved_into_a_store_or_an_adapter(example_audit, tmp_path, name):
    (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match="must be a folder for reports"):
        example_audit.save(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"secrets": 0.5}, {"secrets": {"gender": 3}}, {"inversion": -1e308}, {"inversion": {"attribute": "x"}}],
    ids=str,
)
def test_an_edited_audit_of_schema_1_is_refused(tmp_path, change):
    values = {"schema": 1, "secrets": {}, "tasks": {}, "summary": {}} | change
    (tmp_path / "audit.json").write_text(json.dumps(values))
    with pytest.raises(
        InputError, match=r"audit\.json must be an audit\.json: it must have the layout of schema 1"
    ):
        load_audit(tmp_path)
