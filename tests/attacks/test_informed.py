"""Who holds a noisy adapter can draw its noise again: that must help, and only with copies of the same clips."""

import numpy as np
import pytest
from sklearn.svm import SVC

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.informed import Informed, _KnownRows
from latentveil.auditing.answers import attack_secret
from latentveil.errors import InputError

DIM, NUM_CLASSES, CLIPS = 12, 4, 3


class NoisyVideos:
    """Videos at the centre of their class; published with strong noise, drawn once per video, on all its clips."""

    def __init__(self, num_videos, *, prefix, random, centres):
        self.random = random
        self.target = np.arange(num_videos * CLIPS) // CLIPS % NUM_CLASSES
        self.video = np.array([f"{prefix}{row // CLIPS:03}" for row in range(num_videos * CLIPS)])
        self.clean = centres[self.target] + 0.1 * random.normal(size=(len(self.target), DIM))

    def published(self):
        noise = 2.5 * self.random.normal(size=(len(self.video) // CLIPS, DIM)).repeat(CLIPS, axis=0)
        return LabelledFeatures((self.clean + noise).astype(np.float32), self.target, self.video)


def accuracy(*, num_redraws, seed):
    """Over 200 videos, for an attacker who knows 32 and may redraw their noise."""
    random = np.random.default_rng(seed)
    centres = 2 * random.normal(size=(NUM_CLASSES, DIM))
    train, validation, test = (
        NoisyVideos(count, prefix=prefix, random=random, centres=centres)
        for count, prefix in ((20, "a"), (12, "b"), (200, "c"))
    )
    parts = [part.published() for part in (train, validation, test)]
    knowledge = AttackerKnowledge(
        *parts[:2],
        NUM_CLASSES,
        redrawn_train=tuple(train.published() for _ in range(num_redraws)),
        redrawn_validation=tuple(validation.published() for _ in range(num_redraws)),
    )
    answers = Informed().run(knowledge, parts[2].feature, parts[2].video, seed=0)
    return (answers.probabilities.argmax(axis=1) == test.target[::CLIPS]).mean()


def test_redrawing_the_noise_helps():
    seeds = range(4)
    without = [accuracy(num_redraws=0, seed=seed) for seed in seeds]
    informed = [accuracy(num_redraws=8, seed=seed) for seed in seeds]
    assert all(after > before for before, after in zip(without, informed))
    assert np.mean(informed) > np.mean(without) + 0.05


def part(prefix, rows=8):
    video = np.array([f"{prefix}{row}" for row in range(rows)])
    return LabelledFeatures(np.eye(rows, DIM, dtype=np.float32), np.arange(rows) % 2, video)


@pytest.mark.parametrize("which", ["redrawn_train", "redrawn_validation"])
def test_copies_of_other_clips_are_refused(which):
    with pytest.raises(InputError, match="redrawn features must be of the same clips"):
        AttackerKnowledge(part("a"), part("b"), 2, **{which: (part("c"),)})


def test_copies_of_a_store_with_other_clips_are_refused(toy):
    others = toy.features.select(np.arange(len(toy.features))[::-1])
    with pytest.raises(InputError, match="must be of the same clips"):
        attack_secret(
            toy.features,
            toy.features,
            toy.labels,
            "gender",
            kind="temporal",
            attacks=("informed",),
            redrawn=[others],
        )


def test_many_copies_are_thinned_row_by_row_and_few_are_all_kept():
    published = part("a", rows=1000)
    attack = Informed(max_rows=4000)
    few = attack._thinned(published, (published,) * 2, seed=0)
    assert len(few) == 3000
    feature = np.arange(1000, dtype=np.float32)[:, None]
    numbered = LabelledFeatures(feature, published.target, published.video)
    many = attack._thinned(numbered, (numbered,) * 9, seed=0)
    assert len(many) == attack.max_rows
    rows = many.feature[:, 0].astype(int)
    np.testing.assert_array_equal(many.target, published.target[rows])
    np.testing.assert_array_equal(many.video, published.video[rows])


@pytest.mark.parametrize("num_classes", [2, NUM_CLASSES])
def test_the_kernel_machine_is_the_libraries_own(num_classes):
    random = np.random.default_rng(0)
    target = np.arange(60) % num_classes
    rows = (target[:, None] + random.normal(size=(60, DIM))).astype(np.float32)
    video = np.array([f"{row:02}" for row in range(60)])
    known = _KnownRows.build(LabelledFeatures(rows[:40], target[:40], video[:40]), "none", num_classes)
    expected = SVC(C=3.0).fit(known.rows, known.target).decision_function(known.transform(rows[40:]))
    if num_classes == 2:
        expected = np.stack([-expected, expected], axis=1)
    np.testing.assert_allclose(known.machine(3.0)(rows[40:]), expected, atol=5e-3)
