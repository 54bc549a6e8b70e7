import multiprocessing
import os
from pathlib import Path

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, pool, run_extraction
from latentveil.extraction.inputs import VideoInput
from latentveil.extraction.worker import Encoded, Failed, Finished, Work
from latentveil.store import FeatureStore
from latentveil.types import FeatureSet, Sampling
from latentveil.video.reading import ClipFormat

WORK = Work(ClipFormat(Sampling(), clip_frames=16, frame_size=64), batch_clips=4, threads=1)
FORK_WARNING = "ignore:.*fork.*:DeprecationWarning"
UNSEEDED_NETWORK = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.seed()
        self.mix = torch.nn.Linear(3, 4)

    def forward(self, frames):
        return self.mix(frames.mean(dim=(2, 3, 4)))
"""


def serve_without_encoder(connection, choice, work):
    """Finishes every video at once, but dies on poison and raises on an error."""
    try:
        while (video := connection.recv()) is not None:
            if "poison" in video.video:
                os._exit(9)
            if "error" in video.video:
                connection.send(InputError("no such encoder"))
                return
            columns = {name: np.zeros(1) for name in ("clip", "start_frame", "time", "kind", "view")}
            connection.send(Encoded(1))
            connection.send(
                Finished(video, FeatureSet(np.array([video.video]), **columns, feature=np.zeros((1, 2))))
            )
    except EOFError:
        return


@pytest.fixture
def encode(monkeypatch):
    """Encode videos of the given names in forked workers that need no encoder."""
    context = multiprocessing.get_context("fork")
    monkeypatch.setattr(pool.multiprocessing, "get_context", lambda _: context)
    monkeypatch.setattr(pool, "_serve", serve_without_encoder)

    def run(*names: str, workers: int) -> tuple[list[str], list[Failed]]:
        videos = [VideoInput(name, Path(f"{name}.mp4")) for name in names]
        events = list(pool.encode_in_processes(videos, EncoderChoice("tiny"), work=WORK, workers=workers))
        assert not multiprocessing.active_children()
        finished = sorted(event.video.video for event in events if isinstance(event, Finished))
        return finished, [event for event in events if isinstance(event, Failed)]

    return run


@pytest.mark.filterwarnings(FORK_WARNING)
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_video_is_done_once(encode, workers):
    names = [f"v{number:02}" for number in range(20)]
    assert encode(*names, workers=workers) == (names, [])


@pytest.mark.filterwarnings(FORK_WARNING)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_video_that_kills_its_worker_fails_alone(encode, workers):
    finished, failures = encode("a", "b", "poison1", "c", "d", "poison2", "e", workers=workers)
    assert finished == ["a", "b", "c", "d", "e"]
    assert sorted(failure.video.video for failure in failures) == ["poison1", "poison2"]
    assert "poison1.mp4 made its worker process die (exit status 9)" in min(f.reason for f in failures)


@pytest.mark.filterwarnings(FORK_WARNING)
def test_workers_that_only_die_end_the_run(encode):
    with pytest.raises(InputError, match="worker processes must stay alive"):
        encode(*(f"poison{number}" for number in range(50)), workers=2)
    assert not multiprocessing.active_children()


@pytest.mark.filterwarnings(FORK_WARNING)
def test_an_error_of_a_worker_is_raised_here(encode):
    with pytest.raises(InputError, match="no such encoder"):
        encode("a", "error", "b", workers=2)
    assert not multiprocessing.active_children()


def test_two_real_workers_make_the_same_store_as_none(videos, tmp_path):
    run_extraction([videos], tmp_path / "plain", encoder="tiny")
    report = run_extraction([videos], tmp_path / "pool", encoder="tiny", options=ExtractOptions(workers=2))
    assert report.failures == ()
    plain, pooled = FeatureStore(tmp_path / "plain").read(), FeatureStore(tmp_path / "pool").read()
    assert pooled.video.tolist() == plain.video.tolist()
    np.testing.assert_allclose(pooled.feature, plain.feature, rtol=1e-5, atol=1e-5)


def test_a_network_that_differs_between_processes_is_refused(videos, tmp_path, monkeypatch):
    (tmp_path / "unseeded.py").write_text(UNSEEDED_NETWORK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    encoder = EncoderChoice("module:unseeded:Net", size=32)
    with pytest.raises(InputError, match="encoder must give the same weights in every process"):
        run_extraction([videos], tmp_path / "store", encoder=encoder, options=ExtractOptions(workers=2))
