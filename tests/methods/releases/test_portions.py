"""Short videos beside long ones: people go from both, and neither tells of the other."""

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.errors import Notice
from latentveil.methods.releases import moving
from latentveil.methods.releases.noise import NoiseNeeded
from tests.methods.releases.mixed_release import LONG, LOOKS, PEOPLE, SHORT, STEPS, clips_of, fitted, release


@pytest.fixture(scope="module")
def mixed():
    features, person = release()
    return features, person, fitted(features, person)


def of_length(features, long):
    return features.of_videos([video for video in features.videos if video.startswith("l") == long])


def told(known, asked):
    """How often the nearest, and how often the farthest, mean of known videos has the name of an asked one.

    ``known`` and ``asked`` are pairs of vectors (N, D) and names (N,).
    """
    names = np.unique(known[1])
    means = np.stack([known[0][known[1] == name].mean(axis=0) for name in names])
    rest = known[0] - means[np.searchsorted(names, known[1])]
    within = rest.T @ rest / len(rest)
    within += 0.1 * np.trace(within) / len(within) * np.eye(len(within))
    away = asked[0][:, None] - means[None]
    distance = np.einsum("nck,kl,ncl->nc", away, np.linalg.inv(within), away)
    return [float((names[one] == asked[1]).mean()) for one in (distance.argmin(1), distance.argmax(1))]


def people_in(features, person, *, long):
    """The mean clip (V, D) and the person (V,) of every video of a length."""
    names = of_length(features, long).videos
    means = np.stack([rows.mean(axis=0) for rows in clips_of(features, names)])
    return means, np.array([person[name] for name in names])


def split(vectors, names, *, clips=1):
    """Rows that are known and rows that are asked for: of every eight videos of a person, six and two.

    ``clips`` are the rows of a video; videos are sorted by their number, then by person.
    """
    asked = np.arange(len(names)) // (PEOPLE * clips) % 8 >= 6
    return (vectors[~asked], names[~asked]), (vectors[asked], names[asked])


def test_people_go_and_what_they_do_stays_in_both(mixed):
    features, person, adapter = mixed
    safe = anonymize(adapter, features, seed=0)
    for long in (False, True):
        assert told(*split(*people_in(features, person, long=long)))[0] > 0.95
        assert max(told(*split(*people_in(safe, person, long=long)))) < 0.4  # guessing reaches 0.17
    order = np.array([int(name[1:3]) % 2 for name in of_length(features, False).videos])
    whole = np.stack([rows.ravel() for rows in clips_of(safe, of_length(features, False).videos)])
    assert told(*split(whole, order))[0] > 0.95
    shown = np.concatenate(clips_of(safe, of_length(features, True).videos))
    raw = np.concatenate(clips_of(features, of_length(features, True).videos))
    looks = np.concatenate([[LOOKS[int(name[-1])]] * LONG for name in of_length(features, True).videos])
    step = ((raw - looks) @ (STEPS[1] - STEPS[0]) > (STEPS.mean(axis=0) @ (STEPS[1] - STEPS[0]))).astype(int)
    assert told(*split(shown, step, clips=LONG))[0] > 0.95


def test_long_videos_do_not_tell_whose_the_short_ones_are(mixed):
    """Draws of a group are other ones in each portion: learned on one length, the other is at chance."""
    features, person, adapter = mixed
    raw = [people_in(features, person, long=long) for long in (True, False)]
    assert min(told(*raw)[0], told(*raw[::-1])[0]) > 0.95
    found = []
    for seed in range(3):
        safe = anonymize(
            fitted(features, person, f"train.seed={seed}") if seed else adapter, features, seed=seed
        )
        lengths = [people_in(safe, person, long=long) for long in (True, False)]
        found.append([*told(*lengths), *told(*lengths[::-1])])
    np.testing.assert_allclose(np.mean(found, axis=0), 1 / PEOPLE, atol=0.1)


def test_draws_are_independent(mixed):
    """Where a group was put says nothing of where it was put in the other portion."""
    features, person, _ = mixed
    placed = []
    for seed in range(12):
        network = fitted(features, person, "transport.noise=1", f"train.seed={seed}").network
        movers = network, network.short
        placed.append([one.groupings[0].placed.view(PEOPLE, one.window, -1).mean(dim=1) for one in movers])
    long, short = (torch.stack(one) for one in zip(*placed))  # (12, G, k)
    likeness = torch.cosine_similarity(long - long.mean(dim=0), short - short.mean(dim=0), dim=2)
    assert abs(likeness.mean().item()) < 0.2  # about 0.07 by chance; 1 where both have the same draws


def test_notices_say_which_videos_are_not_hidden(monkeypatch, mixed):
    features, person, _ = mixed
    monkeypatch.setattr(
        moving,
        "_noise_needed",
        lambda windows, *_, **__: NoiseNeeded(2.0, 0.5, enough=len(windows.names) != PEOPLE * 24),
    )
    with pytest.warns(Notice, match="tells of the groups of short videos, wanted 90%"):
        fitted(features, person)


def test_clusters_of_stills_and_single_videos_have_portions_too(mixed):
    features, person, _ = mixed
    for groups in ("stills", "video"):
        adapter = fitted(features, person, f"transport.groups={groups}")
        assert adapter.network.short.window == SHORT
        safe = anonymize(adapter, features, seed=0)
        assert np.isfinite(safe.feature).all()
        assert bool(adapter.config["short"]["groupings"]) == (groups == "stills")
