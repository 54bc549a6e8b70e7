"""Transport: groups cannot be told any more in either direction, tasks stay, and the key can be forgotten."""

import numpy as np
import pytest

from latentveil.adapters.anonymize import anonymize
from latentveil.config import change_settings
from latentveil.errors import InputError
from latentveil.methods.base import TrainingData
from latentveil.methods.transport import TransportSettings, fit
from latentveil.types import FeatureSet

PEOPLE, ACTIONS, REPEATS, CLIPS, DIM = 6, 4, 6, 3, 24


class Release:
    """Videos of people who all show all actions: an offset per person, one per action, and what differs by chance."""

    def __init__(self, seed=0):
        random = np.random.default_rng(seed)
        looks = 3 * random.standard_normal((PEOPLE, DIM))
        acts = 3 * random.standard_normal((ACTIONS, CLIPS, DIM))
        clips, stills = {}, {}
        self.person, self.action = {}, {}
        for person in range(PEOPLE):
            for action in range(ACTIONS):
                for repeat in range(REPEATS):
                    name = f"v{person}{action}{repeat}"
                    clips[name] = looks[person] + acts[action] + random.standard_normal((CLIPS, DIM))
                    stills[name] = looks[person] + 0.3 * random.standard_normal((2, DIM))
                    self.person[name], self.action[name] = str(person), action
        self.features = FeatureSet.from_arrays(
            {name: value.astype(np.float32) for name, value in clips.items()},
            stills={name: value.astype(np.float32) for name, value in stills.items()},
        )


@pytest.fixture(scope="module")
def release():
    return Release()


def settings(*changes):
    small = ["transport.components=16", "transport.clusters=4"]
    return change_settings(TransportSettings(), [*small, *changes], owner="transport")


def fitted(release, *changes):
    data = TrainingData(features=release.features, groups=release.person)
    return fit(data, settings("transport.groups=person", *changes))


def told(features, label):
    """How often the nearest, and how often the furthest, mean of other videos has the right label."""
    clips = features.of_kind("temporal")
    names = np.array(sorted(label))
    vectors = np.stack([clips.feature[clips.video == name].ravel() for name in names]).astype(np.float64)
    classes = np.array([str(label[name]) for name in names])
    test = np.array([name.endswith(("4", "5")) for name in names])
    spread = np.linalg.inv(
        np.cov(vectors.T) + 0.1 * np.trace(np.cov(vectors.T)) / vectors.shape[1] * np.eye(vectors.shape[1])
    )
    kinds = np.unique(classes)
    means = np.stack([vectors[~test & (classes == kind)].mean(axis=0) for kind in kinds])
    away = vectors[test][:, None] - means[None]
    distance = np.einsum("vck,kl,vcl->vc", away, spread, away)
    return (
        float((kinds[distance.argmin(axis=1)] == classes[test]).mean()),
        float((kinds[distance.argmax(axis=1)] == classes[test]).mean()),
    )


def test_people_go_both_ways_and_actions_stay(release):
    assert told(release.features, release.person)[0] > 0.95
    safe = anonymize(fitted(release), release.features, seed=0)
    straight, turned = told(safe, release.person)
    assert max(straight, turned) < 0.45  # guessing reaches 0.17
    assert told(safe, release.action)[0] > 0.9


def test_without_the_draw_whoever_turns_round_the_answer_wins(release):
    """The trap of METHODS 5.7: below chance is leakage, too."""
    trap = fitted(
        release, "transport.draw=0", "transport.clusters=0", "transport.cov=0", "transport.strength=1e6"
    )
    straight, turned = told(anonymize(trap, release.features, seed=0), release.person)
    assert straight < 0.1
    assert turned > 0.6


def test_clusters_of_stills_find_people_without_a_label(release):
    adapter = fit(TrainingData(features=release.features), settings("transport.groups_of_stills=6"))
    known = adapter.network.groups_of(release.features)
    pairs = {(release.person[video], group) for video, group in known.items()}
    assert len(pairs) == PEOPLE
    assert told(anonymize(adapter, release.features, seed=0), release.person)[0] < 0.45


def test_a_later_video_joins_the_group_it_looks_like_and_a_stranger_joins_none(release):
    later = [video for video in release.features.videos if video.endswith("5")]
    data = TrainingData(
        features=release.features.of_videos([v for v in release.features.videos if v not in later]),
        groups=release.person,
    )
    network = fit(data, settings("transport.groups=person")).network
    found = network.groups_of(release.features)
    same = [found[video] == found[video[:-1] + "0"] for video in later]
    assert np.mean(same) > 0.7
    unlike = release.features.of_videos(later[:1])
    unlike = unlike.with_feature(unlike.feature + 50).select(np.arange(len(unlike)))
    renamed = FeatureSet(**{**unlike.__dict__, "video": np.full(len(unlike), "new")})
    assert network.groups_of(renamed) == {"new": -1}


def test_a_video_by_itself_leaves_no_key(release):
    adapter = fit(TrainingData(features=release.features), settings("transport.groups=video"))
    assert adapter.config["groups"] == adapter.config["videos"] == 0
    assert set(adapter.network.groups_of(release.features).values()) == {-1}
    assert adapter.noise_factor.abs().sum() > 0


def test_small_groups_are_left_more_of_themselves(release):
    """One video says little of its person: what looks like everybody's motion stays."""
    few = [video for video in release.features.videos if not (video.startswith("v0") and video != "v000")]
    data = TrainingData(features=release.features.of_videos(few), groups=release.person)
    safe = anonymize(fit(data, settings("transport.groups=person")), data.features, seed=0)
    assert np.isfinite(safe.feature).all()
    assert safe.feature[safe.video == "v000"].std() > 0


def test_a_column_needs_labels_and_stills_need_stills(release):
    with pytest.raises(InputError, match="labels must be given with a column 'person'"):
        fit(TrainingData(features=release.features), settings("transport.groups=person"))
    with pytest.raises(InputError, match="where videos have no stills"):
        fit(TrainingData(features=release.features.of_kind("temporal")), settings())


def test_time_order_within_a_phase_stays(release):
    """A long video keeps how its clips differ from the mean of their phase, which is what detection reads."""
    random = np.random.default_rng(1)
    long = {f"v{n}": random.standard_normal((40, DIM)).astype(np.float32) for n in range(12)}
    features = FeatureSet.from_arrays(long)
    groups = {name: str(number % 3) for number, name in enumerate(long)}
    chosen = settings("transport.groups=person", "transport.components=24", "transport.phases=4")
    safe = anonymize(fit(TrainingData(features=features, groups=groups), chosen), features, seed=0)
    before, after = (f.feature[f.video == "v0"].reshape(4, 10, DIM) for f in (features, safe))
    np.testing.assert_allclose(
        after - after.mean(axis=1, keepdims=True), before - before.mean(axis=1, keepdims=True), atol=1e-4
    )
