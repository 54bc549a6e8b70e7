"""The audit's summary and plan, worked by hand, and what it says of itself."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing.measure import AuditPlan, audit_features
from latentveil.auditing.omissions import blank_unknown, flag_several_people
from latentveil.auditing.summary import summarise
from latentveil.errors import InputError
from latentveil.progress import Progress
from latentveil.results.audit import NotTested
from latentveil.types import KINDS

QUICK = AuditPlan(attacks=("lda",), tasks=None)


def test_readings_without_leakage_do_not_count_in_the_means(reading):
    readings = [
        replace(reading(removed=removed), leakage_removed_over_floor=over_floor)
        for removed, over_floor in ((0.2, 0.5), (0.6, None), (None, 1.0))
    ]
    found = summarise(readings, {})
    assert found.leakage_removed == pytest.approx(0.4)
    assert found.leakage_removed_over_floor == pytest.approx(0.75)
    assert found.utility_kept is found.nhv is None
    assert summarise([reading()], {}).leakage_removed_over_floor is None


def test_the_plan_asks_for_floors(toy):
    plan = AuditPlan(
        secrets=("identity",), kinds=("temporal",), attacks=("lda",), tasks=None, floor=2, seed=1
    )
    found = audit_features(toy.features, toy.features, toy.labels, plan).secrets["identity"]
    assert len(found.floor.repeats) == 2
    assert found.chance - 0.1 < found.floor.value < found.worst.raw.value - 0.3
    with pytest.raises(InputError, match="floor must be 0 or more"):
        AuditPlan(floor=-1)


def test_a_secret_is_one_entry_with_its_stills_in_it(toy):
    found = audit_features(toy.features, toy.features, toy.labels, replace(QUICK, kinds=KINDS[::-1]))
    assert list(found.secrets) == ["gender", "identity"]
    for name, secret in found.secrets.items():
        assert [(one.secret, one.kind) for one in secret.readings] == [(name, "temporal"), (name, "static")]
    stills = toy.features.of_kind("static")
    alone = audit_features(stills, stills, toy.labels, QUICK).secrets["gender"]
    assert (alone.kind, alone.stills) == ("static", None)


def test_progress_counts_every_task_and_attack_up_front(toy):
    told = []
    plan = AuditPlan(secrets=("gender",), attacks=("lda", "neighbours"), floor=1)
    audit_features(toy.features, toy.features, toy.labels, plan, on_progress=told.append)
    total = 1 + 2 * 2 * 3  # the task action; two kinds, two attacks, on raw, on anonymized and for the floor
    assert told[:2] == [Progress("audit", 0, total), Progress("audit", 1, total, "action")]
    done = [step.done for step in told]  # an attack is told in every fold, and done after the last
    assert done == sorted(done)
    assert set(done) == set(range(total + 1))
    assert {step.note for step in told[2:]} == {
        f"gender, {kind} clips: {attack}" for kind in KINDS for attack in plan.attacks
    }


def test_what_was_not_tested_is_listed_with_the_reason(toy):
    columns = toy.labels.columns | {"secret_hat": np.full(len(toy.labels.video), "1")}
    labels = replace(toy.labels, columns=columns)
    everything = audit_features(toy.features, toy.features, labels, QUICK)
    assert everything.not_tested == [NotTested("hat", "one value")]
    one = audit_features(toy.features, toy.features, labels, replace(QUICK, secrets=("gender",)))
    assert one.not_tested == [NotTested("hat", "one value"), NotTested("identity", "not asked for")]
    nobody = audit_features(toy.features, toy.features, replace(labels, person=None), QUICK)
    assert nobody.not_tested == [NotTested("hat", "one value")]


def test_nan_is_no_class_and_that_is_said(toy):
    gender = toy.labels.column("gender").copy().astype("<U3")
    gender[::4] = "NaN"
    labels = replace(toy.labels, columns=toy.labels.columns | {"secret_gender": gender})
    blank = np.where(gender == "NaN", "", gender)
    without = replace(toy.labels, columns=toy.labels.columns | {"secret_gender": blank})
    plan = replace(QUICK, secrets=("gender",), kinds=("static",))
    found, expected = (audit_features(toy.features, toy.features, known, plan) for known in (labels, without))
    assert found.secrets == expected.secrets
    [flag] = found.flags
    assert flag.flag == "nan_in_labels"
    assert f"{len(gender[::4])} of {len(gender)} values of the column secret_gender" in flag.why
    assert expected.flags == []


def test_nan_is_no_place_and_no_action_either(toy):
    """Videos whose place or action was left empty were of one place, and of one action."""
    holes = np.arange(len(toy.labels.video)) % 4 == 0
    action = np.where(holes, "nan", toy.labels.column("action"))
    recording = np.where(holes, "NAN", "here")
    given = replace(toy.labels, recording=recording, columns=toy.labels.columns | {"action": action})
    known, flags = blank_unknown(given)
    assert set(known.recording) == {"", "here"}
    assert "nan" not in known.column("action")
    assert [flag.why.split("column ")[1].split(" are")[0] for flag in flags] == ["action", "recording"]
    blank = replace(given, recording=known.recording, columns=known.columns)
    plan = replace(QUICK, secrets=("gender",), kinds=("temporal",), tasks=("action",))
    found, expected = (audit_features(toy.features, toy.features, one, plan) for one in (given, blank))
    assert found.tasks == expected.tasks


def test_people_who_share_a_video_are_told_to_be_taken_for_somebody_else(toy):
    """Nothing said that `a|b` is not `a`, though an attack may learn from the one and be asked about both."""
    person = toy.labels.person.astype("<U20")
    assert flag_several_people(toy.labels) == []
    together = f"{person[0]}|{person[-1]}"
    person[3:5] = together
    [flag] = flag_several_people(replace(toy.labels, person=person))
    assert flag.flag == "several_people_in_a_video"
    assert f"2 of {len(person)} videos name several people" in flag.why
    plan = replace(QUICK, secrets=("gender",), kinds=("static",))
    found = audit_features(toy.features, toy.features, replace(toy.labels, person=person), plan)
    assert flag.why in [one.why for one in found.flags]
    always = np.where(np.isin(person, together.split("|")), together, person)
    assert flag_several_people(replace(toy.labels, person=always)) == []  # a pair that is never parted is one


def test_grading_on_videos_that_an_adapter_was_fitted_on_is_said(toy):
    labels = replace(toy.labels, split=np.full(len(toy.labels.video), "train"))
    plan = replace(QUICK, secrets=("gender",), kinds=("static",))
    [flag] = audit_features(toy.features, toy.features, labels, plan).flags
    assert flag.flag == "graded_on_training_videos"
    total = len(labels.video)
    assert f"{total} of the {total} videos that attacks on gender are graded on" in flag.why
    assert audit_features(toy.features, toy.features, toy.labels, plan).flags == []


def test_risks_are_of_clips_or_of_stills_where_there_is_nothing_else(toy):
    assert AuditPlan(kinds=KINDS[::-1]).kinds_in(toy.features) == ["temporal", "static"]
    assert AuditPlan().kinds_in(toy.features.of_kind("static")) == ["static"]
    assert AuditPlan(kinds=("static",)).kinds_in(toy.features) == ["static"]
