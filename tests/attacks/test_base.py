"""The base class trusts no attack, and the knowledge handed to one is checked."""

import numpy as np
import pytest

from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures, video_means
from latentveil.errors import InputError, PluginError


def labelled(*, rows=8, dim=3, clips_per_video=1, seed=0):
    random = np.random.default_rng(seed)
    video = np.array([f"v{row // clips_per_video}" for row in range(rows)])
    target = np.arange(rows) // clips_per_video % 2
    return LabelledFeatures(random.normal(size=(rows, dim)).astype(np.float32), target, video)


class Scripted(Attack):
    """Answers what it is told to, whatever it is asked."""

    name = "scripted"

    def __init__(self, answer, scores=None):
        self.answer, self.scores, self.seen = answer, scores or {}, []

    def fit(self, knowledge, *, seed):
        rows = len(knowledge.train)
        return FittedAttack(self._answer, self.scores.get(rows, (0.0, 0.0)), {"rows": rows})

    def _answer(self, feature):
        self.seen.append(feature)
        return self.answer(feature)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda f: np.full((len(f), 3), 1 / 3), "shape"),
        (lambda f: np.full((len(f), 2), np.nan), "finite"),
        (lambda f: np.tile([1.5, -0.5], (len(f), 1)), "negative"),
        (lambda f: np.full((len(f), 2), 0.4), "sum to 1"),
        (lambda f: np.full((len(f) - 1, 2), 0.5), "shape"),
    ],
)
def test_wrong_answers_are_refused(answer, message):
    part = labelled()
    with pytest.raises(PluginError, match=message):
        Scripted(answer).run(AttackerKnowledge(part, part, 2), part.feature, part.video, seed=0)


def test_what_fits_nothing_is_named():
    part = labelled()
    attack = Scripted(None)
    attack.fit = lambda knowledge, *, seed: 3
    with pytest.raises(PluginError, match="the attack scripted must give a FittedAttack, got int"):
        attack.run(AttackerKnowledge(part, part, 2), part.feature, part.video, seed=0)


@pytest.mark.parametrize(("best", "expected_rows"), [(8, 8), (4, 4)])
def test_validation_chooses_between_clips_and_video_means(best, expected_rows):
    part = labelled(clips_per_video=2)
    attack = Scripted(lambda f: np.full((len(f), 2), 0.5), scores={best: (1.0, 0.0)})
    answers = attack.run(AttackerKnowledge(part, part, 2), part.feature, part.video, seed=0)
    assert answers.setting == {"pooling": "clip" if best == 8 else "video", "rows": expected_rows}
    assert [len(seen) for seen in attack.seen] == [expected_rows]  # test is touched once
    assert answers.probabilities.shape == (4, 2)


def test_answers_are_averaged_over_the_clips_of_a_video():
    part = labelled(rows=4, clips_per_video=2)
    spoken = np.array([[0.2, 0.8], [0.4, 0.6], [1.0, 0.0], [0.0, 1.0]])
    attack = Scripted(lambda f: spoken[: len(f)], scores={4: (1.0, 0.0)})
    answers = attack.run(AttackerKnowledge(part, part, 2), part.feature, part.video, seed=0)
    np.testing.assert_allclose(answers.probabilities, [[0.3, 0.7], [0.5, 0.5]])
    assert answers.video.tolist() == ["v0", "v1"]


def test_video_means_by_hand():
    videos, means = video_means(np.array([[1.0], [5.0], [3.0]]), np.array(["b", "a", "b"]))
    assert videos.tolist() == ["a", "b"]
    np.testing.assert_allclose(means, [[5.0], [2.0]])


def test_broken_features_are_refused_as_the_users():
    part = labelled()
    part.feature[2, 1] = np.nan
    with pytest.raises(InputError, match="finite"):
        LabelledFeatures(part.feature, part.target, part.video)


def test_raw_features_must_be_of_the_same_clips():
    part, other = labelled(), labelled(clips_per_video=2)
    with pytest.raises(InputError, match="same clips"):
        AttackerKnowledge(part, part, 2, other, part)


def test_targets_must_be_within_the_classes():
    with pytest.raises(InputError, match=r"0\.\.0"):
        AttackerKnowledge(labelled(), labelled(), 1)


@pytest.mark.parametrize("name", ["paired", "transfer"])
def test_attacks_that_need_raw_features_say_so(name):
    [attack] = load_attacks([name])
    part = labelled()
    with pytest.raises(InputError, match="needs raw features"):
        attack.run(AttackerKnowledge(part, part, 2), part.feature, part.video, seed=0)
