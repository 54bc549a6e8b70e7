"""Threads: calm before torch is there, one for small work, and the user's own choice stands."""

import os
import subprocess
import sys

import pytest
import torch
from threadpoolctl import threadpool_info

from latentveil.attacks import load_attacks
from latentveil.auditing.answers import attack_secret
from latentveil.machine import threads
from latentveil.machine.threads import SMALL_NUMBERS, WAITING, one_thread, threads_for
from latentveil.tasks.action import ActionTask
from latentveil.tasks.evaluate import evaluate


def policy_after(statement, **variables):
    """OMP_WAIT_POLICY in a new process once ``statement`` has run."""
    environment = {name: value for name, value in os.environ.items() if name not in WAITING} | variables
    code = f"{statement}; import os; print(os.environ.get('OMP_WAIT_POLICY'))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("statement", ["import latentveil", "import latentveil.cli.main"])
def test_threads_are_calm_before_torch_is_imported(statement):
    assert policy_after(f"{statement}; import sys; assert 'torch' not in sys.modules") == "PASSIVE"


@pytest.mark.parametrize(
    ("name", "value"), [("OMP_WAIT_POLICY", "ACTIVE"), ("GOMP_SPINCOUNT", "9"), ("KMP_BLOCKTIME", "1")]
)
def test_what_the_user_chose_stands(name, value):
    assert policy_after("import latentveil", **{name: value}) == (
        value if name == "OMP_WAIT_POLICY" else "None"
    )


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_one_thread_inside_and_as_before_outside(two_threads):
    with one_thread():
        assert torch.get_num_threads() == 1
        assert all(pool["num_threads"] == 1 for pool in threadpool_info())
    assert torch.get_num_threads() == 2
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert torch.get_num_threads() == 2


def test_threads_follow_the_size_of_the_work(two_threads):
    for num_numbers, wanted in ((SMALL_NUMBERS - 1, 1), (SMALL_NUMBERS, 2)):
        with threads_for(num_numbers):
            assert torch.get_num_threads() == wanted


def test_heads_and_attacks_on_few_videos_take_one_thread(two_threads, toy, toy_folder, monkeypatch):
    seen = []
    for owner, name in ((type(load_attacks(["lda"])[0]), "run"), (ActionTask, "fit_head")):
        real = getattr(owner, name)

        def spy(self, *arguments, real=real, **options):
            seen.append(torch.get_num_threads())
            return real(self, *arguments, **options)

        monkeypatch.setattr(owner, name, spy)
    evaluate("action", toy_folder / "raw", labels=toy_folder / "labels.csv", seeds=[0])
    attack_secret(toy.features, toy.features, toy.labels, "identity", kind="static", attacks=["lda"])
    assert set(seen) == {1}
    monkeypatch.setattr(threads, "SMALL_NUMBERS", 0)
    attack_secret(toy.features, toy.features, toy.labels, "identity", kind="static", attacks=["lda"])
    assert seen[-1] == 2
