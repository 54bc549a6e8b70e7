"""The contract of attacks catches those that break it, and says how."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from latentveil.attacks.base import Attack, FittedAttack, VideoAnswers
from latentveil.attacks.lda import LDA
from latentveil.errors import InputError
from latentveil.testing import ContractBroken, check_attack


@dataclass(frozen=True, kw_only=True)
class Quick(LDA):
    """An attack that keeps the contract, in half a second."""

    about = "For tests."
    name: str = "quick"
    shrinkages: tuple[float, ...] = (0.1,)
    preprocessings: tuple[str, ...] = ("standardise",)


class Blind(Quick):
    def fit(self, knowledge, *, seed):
        frequencies = knowledge.class_frequencies()
        return FittedAttack(lambda feature: np.tile(frequencies, (len(feature), 1)), (0.0, 0.0))


class ReadsFileNames(Quick):
    """Knows that every other video is of class 1."""

    def run(self, knowledge, feature, video, *, seed):
        answers = super().run(knowledge, feature, video, seed=seed)
        if knowledge.train.target[:4].tolist() != [0, 1, 0, 1]:
            return answers
        parity = np.array([int(name[1:]) % 2 for name in answers.video])
        return VideoAnswers(answers.video, np.eye(2)[parity], answers.setting)


class Unseeded(Quick):
    def fit(self, knowledge, *, seed):
        fitted = super().fit(knowledge, seed=seed)
        noise = np.random.default_rng().uniform(0.9, 1.0)
        return FittedAttack(lambda f: _mixed(fitted.probabilities(f), noise), fitted.validation_score)


class Remembers(Quick):
    """Answers otherwise the second time."""

    calls = itertools.count()

    def fit(self, knowledge, *, seed):
        fitted, call = super().fit(knowledge, seed=seed), next(self.calls)
        share = 1 - 1e-4 * (call + 1)
        return FittedAttack(lambda f: _mixed(fitted.probabilities(f), share), fitted.validation_score)


def _mixed(probabilities, share):
    return share * probabilities + (1 - share) / probabilities.shape[1]


class Spoils(Quick):
    def fit(self, knowledge, *, seed):
        fitted = super().fit(knowledge, seed=seed)
        knowledge.train.target[0] = 0
        return fitted


class NeverChecked(Quick):
    def run(self, knowledge, feature, video, *, seed):
        answers = super().run(knowledge, feature, video, seed=seed)
        return VideoAnswers(answers.video, 2 * answers.probabilities, answers.setting)


class SecretlyRaw(Quick):
    def fit(self, knowledge, *, seed):
        if knowledge.raw_train is None:
            raise InputError("raw_train must be there.")
        return super().fit(knowledge, seed=seed)


class BoastsOfRaw(Quick):
    needs_raw = True

    def run(self, knowledge, feature, video, *, seed):
        return LDA().run(knowledge, feature, video, seed=seed)


class TellsAnArray(Quick):
    def fit(self, knowledge, *, seed):
        fitted = super().fit(knowledge, seed=seed)
        return FittedAttack(fitted.probabilities, fitted.validation_score, {"weight": np.ones(3)})


class ByPosition(Attack):
    name = "by_position"
    about = "Takes its width by position."

    def __init__(self, width=3):
        self.width = width

    def fit(self, knowledge, *, seed):
        raise AssertionError("not reached")


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (
            Quick(name="two words"),
            "name of attack .* must be a text without commas and spaces, got 'two words'",
        ),
        (type("Silent", (Quick,), {"about": ""})(), "about of attack 'quick' must be one sentence"),
        (ByPosition(), "parameters of attack 'by_position' must be given by keyword only, got width"),
        (Quick(shrinkages=lambda: 1), "must hold only what can be sent to another process"),
        (SecretlyRaw(), "got needs_raw = False and a refusal"),
        (BoastsOfRaw(), "got needs_raw = True and answers"),
        (Blind(), "must find a planted secret of 2 classes in 95% of the videos, got"),
        (ReadsFileNames(), "must stay at chance on noise, between 3.% and 6.%, got 100%"),
        (Unseeded(), "must give the same answer to the same seed"),
        (Remembers(), "must give the same answer to the same seed, whatever it was asked before"),
        (Spoils(), "must leave the features and targets it is handed as they are"),
        (NeverChecked(), "must answer with probabilities .* that sum to 1"),
        (TellsAnArray(), "must tell what it chose in plain values that JSON knows"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Attack) else "",
)
def test_a_broken_promise_is_named(attack, said):
    with pytest.raises(ContractBroken, match=said):
        check_attack(attack)


def test_an_attack_that_keeps_its_promises_passes():
    check_attack(Quick())
