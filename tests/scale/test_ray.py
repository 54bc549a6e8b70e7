"""Ray: the same bytes as on one machine, whatever dies on the way."""

import threading
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import latentveil as lv
from latentveil.errors import InputError, UsageError
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.machine.engines import find_engine
from latentveil.video.write import write_video
from tests.scale.poison import PoisonedWork

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
    found = Cluster(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
    second = found.add_node(**settings)
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
