"""Table 12 from videos to verdicts, with small random checkpoints of the large encoders' true architecture."""

from __future__ import annotations

import numpy as np
import pytest

from latentveil.bench.recipe import load_recipe
from latentveil.bench.run import run_bench
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.labels import Labels
from latentveil.types import Sampling
from tests.encoders.vit_reference import save_videomae_checkpoint

FACTORY = """
from latentveil.encoders.vit_checkpoints import read_videomae_checkpoint


def make():
    return read_videomae_checkpoint({path!r}, heads=3, frames=4, size=16)
"""
SETS = {"action": "hmdb51", "images": "vispr"}


def with_the_names_of_the_papers(labels: Labels) -> Labels:
    """The labels of actors as if they were HMDB51 and VISPR."""
    names = load_recipe("table12").options["attributes"]
    ours = ("gender", "glasses", "hat", "bare_legs")
    columns = {f"secret_{name}": labels.column(ours[place % 4]) for place, name in enumerate(names)}
    sets = np.array([SETS[name] for name in labels.column("set").tolist()])
    return Labels(
        labels.video, labels.split, labels.person, {"set": sets, "action": labels.column("action"), **columns}
    )


@pytest.fixture
def large(few_actors, tmp_path, monkeypatch):
    """A folder as `veil bench table12` takes it, with the features of both encoders."""
    monkeypatch.syspath_prepend(tmp_path)
    for store in ("internvideo", "videomae2"):
        checkpoint = save_videomae_checkpoint(tmp_path / f"{store}.pth")
        (tmp_path / f"factory_{store}.py").write_text(FACTORY.format(path=str(checkpoint)))
        report = run_extraction(
            [few_actors / "action", few_actors / "images"],
            tmp_path / "large" / store / "raw.store",
            encoder=EncoderChoice(f"module:factory_{store}:make"),
            sampling=Sampling(clips=2, static_clips=2),
            options=ExtractOptions(workers=1),
        )
        assert not report.failures
    with_the_names_of_the_papers(Labels.read(few_actors / "labels.csv")).write(
        tmp_path / "large" / "labels.csv"
    )
    return tmp_path / "large"


def test_both_encoders_are_in_one_table(large, tmp_path):
    done = run_bench("table12", data=large, output=tmp_path / "runs", quick=True)
    names = [entry["name"] for entry in done.entries]
    assert names == [row.name for row in load_recipe("table12").rows]
    assert {entry["made_for"]["data"]["shape"][1] for entry in done.entries} == {24}
    assert "| InternVideo-H, published objective |" in done.table
    assert "| VideoMAEv2-G, raw |" in done.table
    assert "paper: VISPR cMAP" in done.table
