"""Stages on a small store: each says what it took, and what it reads is made first."""

from benchmarks.scale import kept, stages
from benchmarks.scale.stage import MADE_BY, READS, STAGES


def test_a_stage_whose_input_is_missing_has_it_made_first(tmp_path, monkeypatch):
    results = tmp_path / "measured"
    done = []

    def run(stage, folder):
        done.append(stage)
        made = [name for name, maker in MADE_BY.items() if maker == stage]
        for name in made:
            (folder / name).mkdir()
        return {"megabytes": 1.0}

    monkeypatch.setattr(stages, "run_stage", run)
    monkeypatch.setattr(stages, "DIM", 8)
    wanted = ["audit with the adapter", "import"]
    stages.measure_stages(tmp_path / "runs", sizes=[48], stages=wanted, results=results)
    assert set(kept.read("stages", folder=results)["stages"]) == set(wanted)
    assert done == ["fit codebook", "apply", "audit with the adapter", "export", "import"]


def test_what_stages_read_is_made_by_stages():
    assert {name for names in READS.values() for name in names} == set(MADE_BY)
    assert {*READS, *MADE_BY.values()} <= set(STAGES)
