"""The audit's summary and plan, worked by hand."""

import pytest

from latentveil.auditing.measure import AuditPlan, audit_features, summarise
from latentveil.errors import InputError


def entry(removed, **more):
    return {"leakage_removed": removed, **more}


def test_secrets_without_leakage_do_not_count_in_the_means():
    secrets = {
        "a": entry(0.2, leakage_removed_over_floor=0.5),
        "b": entry(0.6, leakage_removed_over_floor=None),
        "c": entry(None, leakage_removed_over_floor=1.0),
    }
    found = summarise(secrets, {})
    assert found["leakage_removed"] == pytest.approx(0.4)
    assert found["leakage_removed_over_floor"] == pytest.approx(0.75)
    assert "leakage_removed_over_floor" not in summarise({"a": entry(0.2)}, {})


def test_the_plan_asks_for_floors(toy):
    plan = AuditPlan(
        secrets=("identity",), kinds=("temporal",), attacks=("lda",), tasks=None, floor=2, seed=1
    )
    [found] = audit_features(toy.features, toy.features, toy.labels, plan)["secrets"].values()
    assert len(found["floor"]["repeats"]) == 2
    assert found["chance"] - 0.1 < found["floor"]["value"] < found["worst"]["raw"]["value"] - 0.3
    with pytest.raises(InputError, match="floor must be 0 or more"):
        AuditPlan(floor=-1)
