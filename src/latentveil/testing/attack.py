"""The contract of an attack: it finds what is planted, nothing in noise, and answers the same when asked again."""

from __future__ import annotations

import json
import pickle

import numpy as np
from scipy.stats import binom

from latentveil.attacks import ATTACKS, Attack
from latentveil.attacks.base import VideoAnswers
from latentveil.errors import InputError
from latentveil.testing.contract import ContractBroken, require, require_facts, require_keyword_only
from latentveil.testing.scenes import DIM, Scene, planted

FOUND = 0.95


def check_attack(attack: str | Attack) -> None:
    """Raise ``ContractBroken`` where the attack (a name, ``package.module:object`` or the object) breaks a promise.

    Everything is tried on a few hundred small features made on the spot, which takes most attacks a second or two.
    """
    found = ATTACKS.get(attack)
    for check in (
        _carries_its_facts,
        _says_whether_it_needs_raw_features,
        _finds_a_planted_secret,
        _stays_at_chance_on_noise,
        _answers_the_same_when_asked_again,
        _learns_nothing_from_constant_features,
        _copes_with_rare_and_unseen_classes,
        _pools_the_clips_of_a_video,
    ):
        check(found)


def _carries_its_facts(attack: Attack) -> None:
    require_facts(attack, "attack")
    require_keyword_only(type(attack), f"attack {attack.name!r}")
    try:
        copy = pickle.loads(pickle.dumps(attack))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ContractBroken(
            f"attack {attack.name!r} must hold only what can be sent to another process, got: {error}."
        ) from error
    require(
        copy.name == attack.name, f"attack {attack.name!r} must keep its name when copied, got {copy.name!r}."
    )


def _says_whether_it_needs_raw_features(attack: Attack) -> None:
    scene = Scene.of(*planted(2, rows=60))
    try:
        _ask(scene, attack)
        refused = False
    except InputError:
        refused = True
    require(
        refused == attack.needs_raw,
        f"attack {attack.name!r} must refuse to work without raw features exactly if needs_raw is true, got "
        f"needs_raw = {attack.needs_raw} and {'a refusal' if refused else 'answers'}.",
    )


def _finds_a_planted_secret(attack: Attack) -> None:
    for num_classes in (2, 5):
        share = _accuracy(_scene(attack, *planted(num_classes)), attack)
        require(
            share >= FOUND,
            f"attack {attack.name!r} must find a planted secret of {num_classes} classes in {FOUND:.0%} of the "
            f"videos, got {share:.0%}.",
        )


def _stays_at_chance_on_noise(attack: Attack) -> None:
    feature = np.random.default_rng(2).normal(size=(500, DIM))
    scene = _scene(attack, feature, np.arange(500) % 2)
    low, high = binom.interval(0.999, len(scene.target), 0.5) / np.array(len(scene.target))
    share = _accuracy(scene, attack)
    require(
        low <= share <= high,
        f"attack {attack.name!r} must stay at chance on noise, between {low:.0%} and {high:.0%}, got {share:.0%}. "
        "Does it read anything but the features?",
    )


def _answers_the_same_when_asked_again(attack: Attack) -> None:
    scene, other = (_scene(attack, *planted(3, rows=60, seed=seed)) for seed in (3, 4))
    before = scene.knowledge.train.feature.copy(), scene.knowledge.train.target.copy()
    first = _ask(scene, attack, seed=5)
    after = scene.knowledge.train.feature, scene.knowledge.train.target
    require(
        all(map(np.array_equal, before, after)),
        f"attack {attack.name!r} must leave the features and targets it is handed as they are, got them changed.",
    )
    _ask(other, attack, seed=5)
    second = _ask(scene, attack, seed=5)
    require(
        np.array_equal(first.probabilities, second.probabilities) and first.setting == second.setting,
        f"attack {attack.name!r} must give the same answer to the same seed, whatever it was asked before, got "
        "another. Seed its random numbers, and keep nothing of a fit in the object.",
    )


def _learns_nothing_from_constant_features(attack: Attack) -> None:
    target = np.array([0, 0, 1] * 20)
    raw = np.random.default_rng(4).normal(size=(60, DIM)) if attack.needs_raw else None
    answers = _ask(Scene.of(np.full((60, DIM), 7), target, raw=raw), attack)
    require(
        np.allclose(answers.probabilities, [2 / 3, 1 / 3]),
        f"attack {attack.name!r} must answer constant features with the class frequencies 0.667 and 0.333, got "
        f"{answers.probabilities[0].round(3).tolist()}.",
    )


def _copes_with_rare_and_unseen_classes(attack: Attack) -> None:
    feature, target = planted(4, rows=100, seed=5)
    feature[:, -1] = 0
    target[target == 3] = 2
    target[0], target[-1] = 3, 4  # one training clip of class 3; class 4 is in test only, class 5 nowhere
    scene = _scene(attack, feature, target, num_classes=6)
    right = _ask(scene, attack).probabilities.argmax(axis=1) == scene.target
    share = float(right[scene.target < 2].mean())
    require(
        share > 0.8,
        f"attack {attack.name!r} must still find frequent classes beside rare and unseen ones in 80 % of the videos, "
        f"got {share:.0%}.",
    )


def _pools_the_clips_of_a_video(attack: Attack) -> None:
    """One clip is too noisy to tell the class, ten clips together do."""
    random = np.random.default_rng(6)
    target = np.repeat(random.integers(2, size=100), 10)
    feature = random.normal(size=(1000, 4)) + 0.8 * target[:, None]
    share = _accuracy(_scene(attack, feature, target, clips_per_video=10), attack)
    require(
        share >= FOUND,
        f"attack {attack.name!r} must pool the clips of a video and find the secret in {FOUND:.0%} of the videos, got "
        f"{share:.0%}.",
    )


def _scene(
    attack: Attack,
    feature: np.ndarray,
    target: np.ndarray,
    *,
    num_classes: int | None = None,
    clips_per_video: int = 1,
) -> Scene:
    """Raw features are there for an attack that says it needs them, and are the features under attack."""
    raw = feature if attack.needs_raw else None
    return Scene.of(feature, target, raw=raw, num_classes=num_classes, clips_per_video=clips_per_video)


def _accuracy(scene: Scene, attack: Attack) -> float:
    return float((_ask(scene, attack).probabilities.argmax(axis=1) == scene.target).mean())


def _ask(scene: Scene, attack: Attack, *, seed: int = 0) -> VideoAnswers:
    """The attack's answers, checked again: an attack may have a ``run`` of its own."""
    answers = scene.ask(attack, seed=seed)
    probabilities, shape = answers.probabilities, (len(scene.target), scene.knowledge.num_classes)
    require(
        answers.video.tolist() == sorted(set(scene.video.tolist())),
        f"attack {attack.name!r} must answer once for every video it is asked for, in the order of their names.",
    )
    require(
        probabilities.shape == shape
        and np.isfinite(probabilities).all()
        and probabilities.min() >= 0
        and np.allclose(probabilities.sum(axis=1), 1, atol=1e-4),
        f"attack {attack.name!r} must answer with probabilities {shape} that sum to 1 in every row, got others.",
    )
    try:
        json.dumps(answers.setting)
    except TypeError as error:
        raise ContractBroken(
            f"attack {attack.name!r} must tell what it chose in plain values that JSON knows, got: {error}."
        ) from error
    return answers
