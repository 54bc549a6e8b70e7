"""Ray: the same bytes as on one machine, whatever dies on the way."""

import subprocess
import sys
import threading
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import latentveil as lv
from latentveil.bench.data import BenchData
from latentveil.bench.recipe import Recipe, Row
from latentveil.bench.runner import run_recipe
from latentveil.bench.spread import spread_recipe
from latentveil.errors import InputError, UsageError
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.machine.engines import find_crew, find_engine
from latentveil.scale.ray import START_ATTEMPTS, start_patiently
from latentveil.video.write import write_video
from tests.scale.poison import CardWork, PoisonedWork

ray = pytest.importorskip("ray", reason="ray is not installed: pip install latentveil[ray]")
# Ray leaves sockets and processes to be closed by the collector of garbage.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    """Two nodes on this machine; the second one may be lost."""
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": 1, "object_store_memory": 80_000_000}
    head = {**settings, "include_dashboard": False}
    found = start_patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
    second = start_patiently(lambda: found.add_node(**settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(address=found.address, log_to_driver=False, logging_level="critical")
    yield found, second
    ray.shutdown()
    found.shutdown()


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for number in range(12):
        frames = np.random.default_rng(number).integers(0, 256, (20 + number, 48, 64, 3), dtype=np.uint8)
        write_video(folder / f"v{number:02}.mp4", iter(frames))
    return folder


def content(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(store.iterdir()) if path.name[0] != "."}


def all_files(folder: Path) -> dict[str, bytes]:
    """As `content`, with the files of folders inside, and without locks."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name[0] != ".")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_a_task_is_tried_again_and_one_that_kills_is_lost_alone(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("latentveil.scale.ray.ATTEMPTS", 2)
    tasks = [1, 2, "once", 3, "always", 4]
    outcomes = list(find_engine("ray").map(partial(PoisonedWork, tmp_path), tasks, workers=2))
    found = {outcome.task: outcome.result for outcome in outcomes}
    assert found == {1: 1, 2: 4, 3: 9, 4: 16, "once": "once", "always": None}
    assert len(outcomes) == len(tasks)
    (lost,) = [outcome.lost for outcome in outcomes if outcome.result is None]
    assert "its worker died 2 times" in lost


def test_tasks_are_drawn_as_there_is_room_and_errors_are_those_of_the_worker(cluster, tmp_path):
    drawn = []

    def tasks():
        for task in (1, 2, 3, 4, "wrong", *range(100)):
            drawn.append(task)
            yield task

    outcomes = find_engine("ray").map(partial(PoisonedWork, tmp_path), tasks(), workers=1)
    next(outcomes)
    assert len(drawn) <= 3
    with pytest.raises(InputError, match="this task must be right"):
        list(outcomes)
    assert len(drawn) <= 8


def test_workers_share_a_graphics_card(cluster):
    found, _ = cluster
    # Ray takes our word for the card; what is tested is that each worker asks for a part of it.
    node = start_patiently(lambda: found.add_node(num_cpus=4, num_gpus=1, object_store_memory=80_000_000))
    outcomes = list(find_engine("ray", gpus=0.5).map(CardWork, range(8)))
    found.remove_node(node)
    processes, cards = zip(*(outcome.result for outcome in outcomes))
    assert len(set(processes)) == 2
    assert {len(card) for card in cards} == {1}
    assert len(set(cards)) == 1


def test_the_command_joins_a_cluster_or_starts_one(cluster, videos, tmp_path):
    found, _ = cluster
    words = [
        sys.executable,
        "-m",
        "latentveil",
        "extract",
        str(videos),
        "--encoder",
        "tiny",
        "--workers",
        "1",
    ]
    for name, more in (
        ("local", ()),
        ("joined", ("--engine", "ray", "--address", found.address)),
        ("own", ("--engine", "ray")),
    ):
        subprocess.run([*words, "-o", str(tmp_path / name), *more], check=True, capture_output=True)
    assert content(tmp_path / "local") == content(tmp_path / "joined") == content(tmp_path / "own")


def test_a_store_made_while_a_node_is_lost_equals_a_local_one(cluster, videos, tmp_path):
    found, second = cluster
    options = ExtractOptions(shard_videos=5, workers=1)
    run_extraction([videos], tmp_path / "local", encoder="tiny", options=options)
    lost = threading.Event()

    def lose_a_node(progress) -> None:
        if progress.num_done >= 2 and not lost.is_set():
            lost.set()
            found.remove_node(second, allow_graceful=False)

    options = ExtractOptions(shard_videos=5, workers=2, engine=find_engine("ray"))
    report = run_extraction(
        [videos], tmp_path / "ray", encoder="tiny", options=options, on_progress=lose_a_node
    )
    assert lost.is_set()
    assert report.failures == ()
    assert content(tmp_path / "ray") == content(tmp_path / "local")


def test_an_engine_nobody_knows_and_options_it_cannot_use_are_refused(toy_folder, tmp_path):
    with pytest.raises(UsageError, match="engine must be one of local, ray"):
        find_engine("slurm")
    with pytest.raises(UsageError, match="address and worker_gpus must be left out for the engine local"):
        find_engine("local", address="auto")
    with pytest.raises(UsageError, match="worker_gpus must be from 0"):
        find_engine("ray", gpus=-1)


def test_apply_on_ray_writes_the_bytes_of_a_local_run(cluster, toy_folder, tmp_path):
    adapter = lv.fit(toy_folder / "raw", toy_folder / "labels.csv", method="noise", progress=False)
    options = {"seed": 5, "progress": False}
    lv.apply(adapter, toy_folder / "raw", tmp_path / "local", **options)
    lv.apply(adapter, toy_folder / "raw", tmp_path / "ray", engine="ray", workers=1, **options)
    assert content(tmp_path / "ray") == content(tmp_path / "local")


def test_a_node_that_starts_too_slowly_is_started_again_and_then_given_up():
    """On a machine with much other work Ray's 30 seconds for a node are too few: a plain Exception."""
    tries = []

    def start(failures):
        tries.append(1)
        if len(tries) <= failures:
            raise Exception("The current node timed out during startup.")
        return "started"

    assert start_patiently(lambda: start(START_ATTEMPTS - 1)) == "started"
    tries.clear()
    with pytest.raises(InputError, match=r"Ray must start .*, got 4 failures: Exception: The current node"):
        start_patiently(lambda: start(START_ATTEMPTS))


def test_an_audit_on_ray_is_that_of_one_machine(cluster, toy, tmp_path):
    safe = lv.apply(lv.fit(toy.features, toy.labels, method="noise", progress=False), toy.features, seed=1)
    options = {
        "attacks": ["lda", "neighbours"], "secrets": ["gender"], "kinds": ["temporal"], "tasks": None,
        "recipient": None, "floor": 1, "progress": False,
    }  # fmt: skip
    lv.audit(toy.features, safe, toy.labels, tmp_path / "local", **options)
    seen = []
    options |= {"engine": "ray", "workers": 1, "progress": seen.append}
    lv.audit(toy.features, safe, toy.labels, tmp_path / "ray", **options)
    assert content(tmp_path / "ray") == content(tmp_path / "local")
    assert seen[-1].done == seen[-1].total


def test_a_tuning_on_ray_writes_the_files_of_one_machine(cluster, toy, tmp_path):
    options = {"method": "noise", "dials": {"erasure.noise": [0.01, 0.5, 200.0]}, "secrets": ["gender"],
               "attacks": ["lda"], "keep": 0.9}  # fmt: skip
    local = lv.tune(toy.features, toy.labels, tmp_path / "local", progress=False, **options)
    there = tmp_path / "ray"
    for trial in sorted((tmp_path / "local" / "trials").iterdir())[:1]:  # goes on from it
        (there / "trials").mkdir(parents=True)
        (there / "trials" / trial.name).write_bytes(trial.read_bytes())
    seen = []
    options |= {"engine": "ray", "workers": 1, "progress": seen.append}
    assert lv.tune(toy.features, toy.labels, there, **options) == local
    assert all_files(there) == all_files(tmp_path / "local")
    of_trials = [step for step in seen if step.stage == "tune"]
    assert [step.done for step in of_trials] == [0, 1, 2, 3, 4]
    assert of_trials[-1].total == 4


def test_a_bench_on_ray_keeps_the_results_of_one_machine(cluster, toy_with_six_actions, tmp_path):
    toy = toy_with_six_actions
    rows = (Row(name="raw", changes=("method=identity",)), Row(name="pca 2", changes=("method=pca",)))
    recipe = Recipe(title="Toy", secrets=("identity",), kinds=("temporal",), attacks=("lda",),
                    curve_attacks=("lda",), num_seen=3, rows=rows)  # fmt: skip
    data = BenchData(toy.features, toy.labels)
    local, there = tmp_path / "local" / "results.jsonl", tmp_path / "ray" / "results.jsonl"
    run_recipe(recipe, data, seeds=[0, 1], results=local)
    run_recipe(
        recipe.model_copy(update={"rows": rows[1:]}), data, seeds=[1], results=there
    )  # goes on from it
    crew = find_crew("ray", workers=1)
    entries = spread_recipe(crew, recipe, data, seeds=[0, 1], results=there)
    assert there.read_bytes() == local.read_bytes()
    assert [(entry["name"], entry["seed"]) for entry in entries] == [
        ("raw", 0), ("pca 2", 0), ("raw", 1), ("pca 2", 1)
    ]  # fmt: skip
    assert sorted(path.name for path in there.parent.iterdir()) == ["adapters", "results.jsonl"]
