"""Tuning never reads test videos, takes what hides the most among what keeps enough, and goes on after a stop."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import latentveil as lv
from latentveil.adapters.adapter import Adapter
from latentveil.errors import InputError, Notice, UsageError
from latentveil.machine.engines import Engine, Outcome
from latentveil.methods.base import METHODS
from latentveil.methods.plan import load_config
from latentveil.tuning.choice import choose
from latentveil.tuning.page import render
from latentveil.tuning.rehearsal import rehearsal_labels
from latentveil.tuning.result import Tuning
from latentveil.tuning.trial import Ruler, Trial
from latentveil.types import Interval

NOISES = {"erasure.noise": [0.01, 0.5, 200.0]}


def tune(toy, output=None, **options):
    options = {"method": "noise", "dials": NOISES, "secrets": ["gender"], "attacks": ["lda"]} | options
    return lv.tune(toy.features, toy.labels, output, progress=False, **options)


def trial(removed, kept):
    return Trial({}, {"gender, temporal": Interval(removed, removed, removed)}, {"action": kept})


@pytest.fixture(scope="module")
def tuned(toy):
    return tune(toy, keep=0.9)


def test_the_largest_noise_that_keeps_the_task_is_taken(tuned):
    found = tuned
    assert found.reached
    assert found.settings == {"erasure.noise": "0.5"}
    weak, middle, strong = found.trials
    assert strong.least_kept < 0.9 <= middle.least_kept
    assert weak.mean_removed < middle.mean_removed
    assert found.adapter is not None
    assert found.adapter.config["recipe"]["settings"]["erasure"]["noise"] == 0.5


def test_test_videos_are_never_read(toy, tuned):
    is_test = np.isin(toy.features.video, toy.labels.videos("test"))
    feature = np.where(is_test[:, None], np.float32("nan"), toy.features.feature)
    spoilt = replace(toy, features=toy.features.with_feature(feature))
    assert tune(spoilt, keep=0.9) == tuned


def test_of_what_keeps_enough_the_one_that_hides_most_is_chosen():
    trials = [trial(0.1, 1.0), trial(0.8, 0.96), trial(0.7, 0.97), trial(0.99, 0.5)]
    assert choose(trials, keep=0.95) == 1
    assert choose(trials, keep=0.999) == 0
    assert choose(trials[1:], keep=0.999) == 1  # none keeps enough: the one that keeps the most


def test_more_that_leaks_than_before_and_unknown_intervals_are_said_as_such():
    nan = float("nan")
    unknown = Trial({"a": "1"}, {"gender, temporal": Interval(-0.41, nan, nan)}, {"action": 1.0})
    found = Tuning("noise", 0.9, ["lda"], 8, 3, [unknown], 0, True)
    assert "a 1: 41% more leaks than before, at least 100.0% of every task" in str(found)
    assert "| **-41%** |" in render(found)
    assert "25% of what leaks is gone" in str(replace(found, trials=[trial(0.25, 1.0)]))


def test_nothing_is_chosen_where_nothing_can_be_told():
    unknown = Trial({}, {"gender, temporal": None}, {"action": 1.0})
    with pytest.raises(InputError, match="Name other secrets"):
        choose([unknown], keep=0.5)
    with pytest.raises(InputError, match="Name other tasks"):
        choose([trial(0.5, None)], keep=0.5)


def test_validation_videos_are_graded_and_people_stay_apart_where_they_were(toy):
    rehearsed = rehearsal_labels(toy.labels, seed=0)
    assert set(rehearsed.videos("test")) == set(toy.labels.videos("val"))
    assert not set(rehearsed.video) & set(toy.labels.videos("test"))
    assert len(rehearsed.videos("val")) == round(0.2 * len(toy.labels.videos("train")))
    number = toy.labels.person.astype(int)
    apart = replace(toy.labels, split=np.array(["train"] * 6 + ["val", "test"])[number])
    rehearsed = rehearsal_labels(apart, seed=0)
    people = [set(rehearsed.person[rehearsed.split == split]) for split in ("train", "val", "test")]
    assert [len(part) for part in people] == [5, 1, 1]
    assert not people[0] & people[1]


def test_labels_without_validation_videos_are_refused(toy):
    with pytest.raises(InputError, match="Mark some of the training people 'val'"):
        rehearsal_labels(toy.labels.only(toy.labels.video[toy.labels.split != "val"]), seed=0)


def test_finished_trials_are_not_done_again(toy, tuned, tmp_path, monkeypatch):
    graded = []
    grade = Ruler.grade

    def counted(self, adapter, settings):
        if len(graded) == 2:
            raise KeyboardInterrupt
        graded.append(settings)
        return grade(self, adapter, settings)

    monkeypatch.setattr(Ruler, "grade", counted)
    with pytest.raises(KeyboardInterrupt):
        tune(toy, tmp_path / "t", keep=0.9)
    monkeypatch.setattr(Ruler, "grade", lambda *given: graded.append(given[2]) or grade(*given))
    found = tune(toy, tmp_path / "t", keep=0.9)
    assert [settings["erasure.noise"] for settings in graded] == ["0.01", "0.5", "200.0"]
    assert found == tuned
    assert json.loads((tmp_path / "t" / "tune.json").read_text()) == found.to_dict()
    assert "| **0.5** |" in (tmp_path / "t" / "tune.md").read_text()
    assert lv.load_adapter(tmp_path / "t" / "adapter").dim == toy.features.dim


def test_a_tuning_that_is_done_is_found_again_and_another_one_refused(toy, tuned, tmp_path, monkeypatch):
    tune(toy, tmp_path, keep=0.9)
    monkeypatch.setattr(Ruler, "grade", None)  # nothing is graded a second time
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.warns(Notice, match="holds this very tuning already: nothing is tried again"):
        again = tune(toy, tmp_path, keep=0.9)
    assert again == tuned
    assert again.adapter.sha256() == tuned.adapter.sha256()
    with pytest.raises(
        InputError, match=r"got one of others: keep is 0\.9 there, got 0\.8; seed is 0 there, got 1"
    ):
        tune(toy, tmp_path, keep=0.8, seed=1)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == written


def test_a_tuning_that_was_stopped_before_its_adapter_goes_on_over_its_own_files(toy, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Adapter, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            tune(toy, tmp_path / "t", keep=0.9)
    assert {"tune.json", "tune.md"} <= {path.name for path in (tmp_path / "t").iterdir()}
    assert tune(toy, tmp_path / "t", keep=0.9).adapter is not None


class Backwards(Engine):
    """Does the last task first, and loses those of the noise ``lost``."""

    name = "backwards"

    def __init__(self, lost=None):
        self.lost = lost

    def at(self, **_):
        return self

    def map(self, make_worker, tasks, *, workers=None):
        work = make_worker()
        for task in reversed(list(tasks)):
            is_lost = task.settings["erasure.noise"] == self.lost
            yield Outcome(task, None, "its worker died") if is_lost else Outcome(task, work(task))


def test_trials_that_end_in_another_order_are_listed_and_chosen_alike(toy, tuned):
    assert tune(toy, keep=0.9, engine=Backwards()) == tuned


def test_a_trial_that_is_lost_stops_the_tuning_and_the_others_are_kept(toy, tuned, tmp_path):
    with pytest.raises(
        InputError, match=r"the trial of erasure\.noise 0\.01 must end, got none: its worker died"
    ):
        tune(toy, tmp_path / "t", keep=0.9, engine=Backwards(lost="0.01"))
    assert len(list((tmp_path / "t" / "trials").iterdir())) == 2
    assert tune(toy, tmp_path / "t", keep=0.9) == tuned


def test_a_trial_that_was_graded_otherwise_is_not_taken_for_this_one(toy, tmp_path):
    one = {"dials": {"erasure.noise": [0.5]}}
    tune(toy, tmp_path / "t", **one)
    shutil.copytree(
        tmp_path / "t" / "trials", tmp_path / "u" / "trials"
    )  # as a run that was stopped leaves them
    found = tune(toy, tmp_path / "u", secrets=["identity"], **one)
    assert list(found.trials[0].removed) == ["identity, temporal", "identity, static"]


def test_what_a_fit_has_to_say_is_said_once(toy):
    with pytest.warns(Notice) as said:
        tune(toy, method=None, dials={"erasure.noise": [0.2, 0.5]})
    assert len([one for one in said if "Good for action" in str(one.message)]) == 1


def test_a_share_that_cannot_be_kept_is_said(toy):
    with pytest.warns(Notice, match="No trial keeps 100% of every task"):
        found = tune(toy, keep=1.0, dials={"erasure.noise": [50.0, 200.0]})
    assert not found.reached


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"keep": 0.0}, "keep must be above 0"),
        ({"method": "transport"}, "must treat each video by itself"),
        ({"method": "identity", "dials": ()}, "names none itself"),
        ({"dials": ["erasure.noise"]}, "section.name=value,value"),
        ({"dials": ["erasure.nois=1"]}, "must be one that the method noise has"),
    ],
)
def test_wrong_use_is_refused_before_any_work(toy, options, said, monkeypatch):
    monkeypatch.setattr(Ruler, "__init__", None)
    with pytest.raises(UsageError, match=said):
        tune(toy, **options)


@pytest.mark.parametrize("method", METHODS.names())
def test_the_dials_that_a_method_names_are_settings_of_its_own(method):
    for with_motion in (False, True):
        for name, values in METHODS.get(method).dials(with_motion).items():
            for value in values:
                load_config(None, [f"{name}={value}"], method=method)
