"""Writes what `veil bench real` found: docs/loophole.md, and the table of results in README.md.

    python benchmarks/write_results.py runs/real

The curve over the training, `runs/real/curve.json`, is measured first if it is not there (needs LATENTVEIL_DATA).
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.adapters.anonymize import anonymize
from latentveil.bench.data import load_bench_data, principal_components
from latentveil.bench.recipe import Row, load_recipe
from latentveil.bench.runner import read_results
from latentveil.bench.seen_unseen import Arena
from latentveil.bench.table import mean_and_half_width
from latentveil.evaluation.answers import attack_secret

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
ROWS = ("raw", "paper", "paper, mean consistency", "released", "veil")
ATTACKS = ("linear", "mlp", "lda")
CLAIM = "58 % (I3D) and 45 % (VideoMAE) of the above-chance leakage removed on static VISPR features"
CURVE_EPOCHS = (0, 100, 400)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="Folder with results.jsonl.")
    run = parser.parse_args().run
    curve = run / "curve.json"
    if not curve.exists():
        curve.write_text(json.dumps(measure_curve(run), indent=1) + "\n")
    entries = read_results(run / "results.jsonl")
    (ROOT / "docs" / "loophole.md").write_text(render(entries, json.loads(curve.read_text())))
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(before + BEGIN + "\n" + results_table(entries) + END + after)


def results_table(entries: list[dict[str, Any]]) -> str:
    """The README's table: best attack on stored clips, and both utilities."""
    lines = [
        "| features | identity, best attack | gender, best attack | seen signs | unseen signs |",
        "|---|---|---|---|---|",
    ]
    for name in (row.name for row in load_recipe("real").rows if row.full):
        found = [entry for entry in entries if entry["name"] == name and "gender" in entry["secrets"]]
        if found:
            secrets = [
                f"{_cell(found, key, 'best')} ({_removed(found, key)} gone)" for key in ("identity", "gender")
            ]
            tasks = [
                mean_and_half_width([e[task]["anonymized"]["value"] for e in found])
                for task in ("seen", "unseen")
            ]
            lines.append(f"| {name} | {' | '.join((*secrets, *tasks))} |")
    chances = [f"{entries[0]['secrets'][key]['chance']:.2f}" for key in ("identity", "gender")]
    seeds = ", ".join(str(seed) for seed in _seeds(entries))
    lines.append("")
    lines.append(
        f"Guessing: identity {chances[0]}, gender {chances[1]}. Means over seeds {seeds}, ± half of the 95 % interval."
    )
    return "\n".join(lines) + "\n"


def render(entries: list[dict[str, Any]], curve: dict[str, list[dict[str, float]]]) -> str:
    """The page: what an MLP on stills says, and what other attackers on stored clips say."""
    lines = [
        "# The static-clip loophole",
        "",
        "Written by `benchmarks/write_results.py` from the results of `veil bench real`; do not edit.",
        "",
        "The paper trains and grades privacy on *static* clips (one frame, tiled), with an MLP or a linear "
        "classifier. People store *temporal* clips. Two doubts follow: an adapter might learn to spot static input and "
        "destroy just that, and it might hide from one kind of classifier what another still reads. So here every "
        "attacker chooses its preprocessing on validation, on stills and on clips. The trained adapters had "
        f"{_epochs()} epochs, one step each, which is not convergence. Identity of ten signers (chance "
        "0.10), accuracy of attackers that were retrained on the features, means over seeds "
        f"{', '.join(str(seed) for seed in _seeds(entries))}:",
        "",
        "| features | "
        + " | ".join(f"{kind}: {name}" for kind in ("stills", "clips") for name in (*ATTACKS, "best"))
        + " |",
        "|---" * (2 * len(ATTACKS) + 3) + "|",
    ]
    for name in ROWS:
        found = [
            entry for entry in entries if entry["name"] == name and "identity_static" in entry["secrets"]
        ]
        if found:
            cells = [
                _cell(found, key, attack)
                for key in ("identity_static", "identity")
                for attack in (*ATTACKS, "best")
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "Share of the above-chance leakage that is gone, best attack (identity / gender):", ""]
    lines += ["| features | stills | clips |", "|---|---|---|"]
    for name in ROWS:
        found = [
            entry for entry in entries if entry["name"] == name and "identity_static" in entry["secrets"]
        ]
        if found:
            stills = " / ".join(_removed(found, f"{secret}_static") for secret in ("identity", "gender"))
            clips = " / ".join(_removed(found, secret) for secret in ("identity", "gender"))
            lines.append(f"| {name} | {stills} | {clips} |")
    lines += [
        "",
        f"The paper's claim, for comparison: {CLAIM}.",
        "",
        *_verdict(entries),
        "",
        *_curve_lines(curve),
    ]
    return "\n".join(lines) + "\n"


def _verdict(entries: list[dict[str, Any]]) -> list[str]:
    """What the numbers say of the published objective, in a sentence that follows from them."""
    sentences = []
    for name in ("paper", "paper, mean consistency", "released"):
        found = [
            entry for entry in entries if entry["name"] == name and "identity_static" in entry["secrets"]
        ]
        if not found:
            continue
        stills, clips = (_mean_best(found, key) for key in ("identity_static", "identity"))
        mlp = float(
            np.mean([e["secrets"]["identity_static"]["attacks"]["mlp"]["anonymized"]["value"] for e in found])
        )
        sentences.append(
            f"`{name}`: an MLP on stills names {mlp:.0%} of the people, the best attack on stills {stills:.0%}, "
            f"the best attack on stored clips {clips:.0%}."
        )
    trained = [
        entry for entry in entries if entry["name"] in ("paper", "paper, mean consistency", "released")
    ]
    gap = _mean_best(trained, "identity") - _mean_best(trained, "identity_static") if trained else 0.0
    closing = (
        f"Over these rows the best attack names {gap:+.2f} more people from clips than from stills: "
        + (
            "what is graded is protected, what is stored is not."
            if gap > 0.1
            else "no gap between them was seen here."
        )
    )
    return ["## What this says", "", *[f"- {sentence}" for sentence in sentences], "", closing]


def measure_curve(run: Path) -> dict[str, list[dict[str, float]]]:
    """Identity accuracy while the published objective trains, seed 0: {preset: [{epoch, kind_attack…}]}."""
    recipe = load_recipe("real")
    features, labels = load_bench_data(os.environ.get("LATENTVEIL_DATA"), cache=run)
    arena = Arena.build(principal_components(features, labels, recipe.components), labels, recipe, seed=0)
    found: dict[str, list[dict[str, float]]] = {}
    for row in recipe.rows:
        if row.name in ("paper, mean consistency", "released"):
            found[row.name] = [measure_at(arena, row, epochs) for epochs in CURVE_EPOCHS]
    return found


def measure_at(arena: Arena, row: Row, epochs: int) -> dict[str, float]:
    """The attacks after ``epochs`` epochs; training is deterministic, so each point is a run of its own length."""
    if epochs:
        kept = [change for change in row.changes if "train.epochs" not in change]
        adapter = arena.fit(row.model_copy(update={"changes": (*kept, f"train.epochs={epochs}")}))
    else:
        adapter = AnonymizingAdapter(dim=arena.features.dim, architecture="affine").eval()
    safe = anonymize(adapter, arena.features)
    point: dict[str, float] = {"epoch": epochs}
    for kind in ("static", "temporal"):
        answers = attack_secret(
            safe, arena.features, arena.labels, "identity", kind=kind, attacks=ATTACKS, seed=arena.seed
        )
        for attack in ATTACKS:
            point[f"{kind} {attack}"] = float(answers.statistic(attack)(np.ones((1, len(answers.target))))[0])
    return point


def _curve_lines(curve: dict[str, list[dict[str, float]]]) -> list[str]:
    lines = ["## Over the training (seed 0, identity)", ""]
    for name, points in curve.items():
        columns = [column for column in points[0] if column != "epoch"]
        lines += [
            f"`{name}`:",
            "",
            "| epoch | " + " | ".join(columns) + " |",
            "|---" * (len(columns) + 1) + "|",
        ]
        lines += [
            f"| {p['epoch']} | " + " | ".join(f"{p[column]:.2f}" for column in columns) + " |" for p in points
        ]
        lines.append("")
    return lines


def _epochs() -> int:
    """How long the recipe trains the published objective."""
    return next(row.config(seed=0).train.epochs for row in load_recipe("real").rows if row.preset == "paper")


def _seeds(entries: list[dict[str, Any]]) -> list[int]:
    return sorted({entry["seed"] for entry in entries})


def _cell(entries: list[dict[str, Any]], key: str, attack: str) -> str:
    secrets = [entry["secrets"][key] for entry in entries]
    if attack == "best":
        return mean_and_half_width([secret["worst"]["anonymized"]["value"] for secret in secrets])
    return mean_and_half_width([secret["attacks"][attack]["anonymized"]["value"] for secret in secrets])


def _removed(entries: list[dict[str, Any]], key: str) -> str:
    values = [entry["secrets"][key]["leakage_removed"] for entry in entries]
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.0%}" if known else "–"


def _mean_best(entries: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([entry["secrets"][key]["worst"]["anonymized"]["value"] for entry in entries]))


if __name__ == "__main__":
    main()
