"""The trap: a person's sample mean, taken away and not replaced by a fresh draw, leaks turned round.

Each test is of the same release with the draw and without: it fails when the draw is left out, and when no attack is
tried turned round.
"""

import pytest

from latentveil.auditing.answers import attack_secret
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.metrics.intervals import SHARE, interval_over_groups

NUM_PEOPLE = 20


@pytest.fixture(scope="module")
def trap(scene):
    return scene(num_people=NUM_PEOPLE, num_videos=8, dim=48, noise=1.0)


@pytest.fixture(scope="module")
def releases(trap, without_group_means):
    return {draw: without_group_means(trap, fresh_draw=draw) for draw in (False, True)}


@pytest.mark.parametrize("attack", ["lda", "linear", "retrieval"])
def test_who_it_is_leaks_turned_round_unless_a_mean_is_drawn(trap, releases, attack):
    raw, labels = trap
    found = {
        draw: attack_secret(release, raw, labels, "identity", kind="temporal", attacks=[attack])
        for draw, release in releases.items()
    }
    intervals = {
        draw: interval_over_groups(one.statistic(attack), one.group, seed=0, limits=SHARE)
        for draw, one in found.items()
    }
    assert intervals[False].low > 2 * found[False].chance
    assert any(setting.get("turned_round") for setting in found[False].settings[attack])
    assert intervals[True].low < found[True].chance
    assert not any(setting.get("turned_round") for setting in found[True].settings[attack])


def test_singling_out_falls_into_the_trap_and_not_into_the_draw(trap, releases):
    raw, labels = trap
    points = {
        draw: measure_singling_out(raw, release, labels, kind="temporal", known_videos=[None]).anonymized[0]
        for draw, release in releases.items()
    }
    assert points[False].top1.low > 2 / NUM_PEOPLE
    assert points[True].top1.low < 1 / NUM_PEOPLE < points[False].top1.low


def test_linkability_falls_into_the_trap_and_not_into_the_draw(trap, releases):
    raw, labels = trap
    areas = {
        draw: measure_linkability(raw, release, labels, kind="temporal").anonymized["any_recording"].video.auc
        for draw, release in releases.items()
    }
    assert areas[False].low > 0.55
    assert areas[True].low < 0.5 < areas[True].high
