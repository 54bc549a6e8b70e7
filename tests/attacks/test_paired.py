"""The paired attack undoes what a label-trained attacker of few clips would not; transfer only sees raw features."""

import numpy as np
import pytest

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.paired import Paired
from latentveil.attacks.transfer import Transfer
from latentveil.errors import InputError


def scene(change, *, rows=300, dim=10, seed=0):
    random = np.random.default_rng(seed)
    target = random.integers(2, size=rows)
    raw = (random.normal(size=(rows, dim)) + 5 * target[:, None] * np.eye(dim)[0]).astype(np.float32)
    anonymized = change(raw).astype(np.float32)
    video = np.array([f"v{row:03d}" for row in range(rows)])
    train, validation, test = np.split(np.arange(rows), [rows // 2, rows * 3 // 4])
    parts = [
        LabelledFeatures(f[p], target[p], video[p]) for f in (anonymized, raw) for p in (train, validation)
    ]
    knowledge = AttackerKnowledge(parts[0], parts[1], 2, parts[2], parts[3])
    return knowledge, anonymized[test], video[test], target[test]


def hit_rate(attack, change, **kwargs):
    knowledge, feature, video, target = scene(change, **kwargs)
    answers = attack.run(knowledge, feature, video, seed=0)
    return (answers.probabilities.argmax(axis=1) == target).mean(), answers.setting


def test_undoes_a_rotation_to_other_dimensions():
    mixing = np.random.default_rng(1).normal(size=(10, 14))
    rate, setting = hit_rate(Paired(), lambda raw: raw @ mixing + 20)
    assert rate >= 0.95
    assert setting["way_back"] != "none"


def test_undoes_a_bend_that_no_line_follows():
    """The secret's dimension is wound up to a spiral, on which the two classes are rings."""

    def wind(raw):
        radius, angle = (raw[:, 0] + 5) / 2, 2 * raw[:, 0]
        return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.1 * raw[:, 1]], axis=1)

    rate, setting = hit_rate(Paired(), wind, rows=600, dim=2)
    assert setting["way_back"] in ("kernel", "network")
    assert rate >= 0.9


def test_does_nothing_to_raw_features():
    rate, setting = hit_rate(Paired(), lambda raw: raw)
    assert rate >= 0.95
    assert setting["way_back"] == "none"


def test_transfer_is_blind_to_moved_dimensions_and_sees_through_a_trifle():
    blind, _ = hit_rate(Transfer(), lambda raw: np.roll(raw, 3, axis=1))
    assert 0.3 < blind < 0.7
    assert hit_rate(Transfer(), lambda raw: raw + 0.01)[0] >= 0.95


def test_transfer_refuses_other_dimensions():
    knowledge, feature, video, _ = scene(lambda raw: raw[:, :4])
    with pytest.raises(InputError, match="10 dimensions"):
        Transfer().run(knowledge, feature, video, seed=0)


@pytest.mark.parametrize("rows", [8, 12])
def test_a_handful_of_pairs_is_enough(rows):
    """With fewer than five training pairs there is none to tell a network when to stop."""
    rate, setting = hit_rate(Paired(), lambda raw: 2 * raw + 1, rows=rows)
    assert 0 <= rate <= 1
    assert setting["way_back"] != "network" or rows // 2 >= 5
