"""Writes the numbers of README.md from what is kept of the runs behind docs/transport.md, published.md and results.

python -m benchmarks.pages.readme
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from benchmarks.pages.rewritten import rewritten_table
from benchmarks.pages.transport.grading import is_current
from benchmarks.pages.transport.measured import FOLDER, Entry, read_entries
from benchmarks.pages.transport.page import SPACE
from benchmarks.pages.transport.rows import (
    BY_PERSON,
    BY_STILLS,
    LATER,
    MOTION,
    NOISE,
    RAW,
    SWAPPED,
    THEN_VEIL,
    VEIL,
)
from benchmarks.pages.transport.verdicts import gone, kept, mean_of, of_row
from benchmarks.published.arms import RANDOM
from benchmarks.published.cells import CENTRED, UNCENTRED
from benchmarks.published.data import SOURCE
from benchmarks.published.faces import FACE_SET, FACES
from benchmarks.published.grade import ATTACK, PUBLIC
from benchmarks.published.measured import read as read_cells
from benchmarks.published.page import Findings
from benchmarks.published.rule import verdict
from latentveil.errors import InputError

PAGE = Path(__file__).parents[2] / "README.md"
CELLS = Path(__file__).parents[2] / "docs" / "measured" / "published"
TABLES = Path(__file__).parents[2] / "docs" / "measured" / "results"
SHORT, RESULTS, REWRITTEN, PUBLISHED = "in short", "results", "rewritten", "published"
BLOCKS = (SHORT, RESULTS, REWRITTEN, PUBLISHED)  # of the page
WIDTH = 150
OLDER = " †: not graded again since attackers were added who look at how features vary; they may find more."
STRANGERS = "peta"  # whom the published objective is judged on
# Sets whose graded people were strangers to the choices for groups by person, and what the README calls their columns.
TENNIS = "thetis"
COLUMNS = {
    (TENNIS, "named"): "tennis players: named",
    (TENNIS, "linked"): "linked",
    (TENNIS, "unseen actions"): "unseen shots",
    ("wlasl100", "named"): "signers: named",
    ("wlasl100", "linked"): "linked",
    ("wlasl100", "gender, temporal"): "gender",
}

SHOWN = (RAW, NOISE, SWAPPED, VEIL, MOTION, BY_PERSON, BY_STILLS, THEN_VEIL, LATER)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measured", type=Path, default=FOLDER, help="folder that keeps what was run")
    parser.add_argument("--cells", type=Path, default=CELLS, help="folder that keeps the published objective")
    parser.add_argument("--tables", type=Path, default=TABLES, help="folder that keeps the papers' tables")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page with the tables in it")
    options = parser.parse_args(arguments)
    names = dict.fromkeys(name for name, _ in COLUMNS)
    table = results_table({name: read_entries(name, options.measured) for name in names})
    page = put(options.output.read_text(), SHORT, short_result(read_entries(TENNIS, options.measured)))
    page = put(page, RESULTS, table)
    page = put(page, REWRITTEN, rewritten_table(options.tables))
    cells = {source: read_cells(options.cells, source) for source in (SOURCE, FACES)}
    options.output.write_text(put(page, PUBLISHED, published_table(cells)))


def put(page: str, block: str, text: str) -> str:
    """The page with ``text`` between the marks of ``block``; it must have both."""
    begin, end = f"<!-- {block} -->\n", f"<!-- end of {block} -->"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise InputError(f"the page must have the marks {begin.strip()} and {end}, got one without.")
    return before + begin + text + end + after


def short_result(found: Sequence[Entry]) -> str:
    """What the tennis players' table comes down to: what is hidden and kept with no task named, and after it."""
    raw, *_ = of_row(found, RAW)
    named, stays = mean_of(found, BY_PERSON, "named"), kept(found, BY_PERSON, "unseen actions")
    assert named is not None
    by_name = raw["scores"]["named"]
    told = (
        f"**In short**, on {raw['videos']:,} videos of tennis players, {by_name['people']} of whom are to be named: "
        f"from raw features an attacker names the right person for {mean_of(found, RAW, 'named'):.0%} of the videos. "
        f"Behind `{BY_PERSON}`, an attacker who learns anew names {named:.0%} right; guessing reaches "
        f"{by_name['chance']:.0%}."
    )
    if stays is not None:
        guessed = raw["scores"]["unseen actions"]["chance"] / (mean_of(found, RAW, "unseen actions") or 1)
        told += (
            f" Shots that no adapter was told of are recognised {stays:.0%} as often as from raw features; guessing "
            f"alone would be right {guessed:.0%} as often."
        )
    if (later := mean_of(found, LATER, "named")) is not None:
        told += f" Videos that come after a release are hidden less: behind `{BY_PERSON}`, {later:.0%} are named right."
    return f"{fill(told, WIDTH)}\n"


def results_table(entries: Mapping[str, Sequence[Entry]]) -> str:
    """A line per row that is shown and that every set has, what guessing reaches, and who stands behind it."""
    missing = [name for name, found in entries.items() if not of_row(found, RAW)]
    if missing:
        raise InputError(
            f"docs/measured/transport must hold raw features of {', '.join(missing)}, got none. Run "
            "python -m benchmarks.pages.transport first."
        )
    lines = [f"| features | {' | '.join(COLUMNS.values())} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in SHOWN:
        if all(of_row(found, row) for found in entries.values()):
            own = [entry for found in entries.values() for entry in of_row(found, row)]
            mark = "" if all(map(is_current, own)) else " †"
            lines.append(f"| {row}{mark} | {' | '.join(_cell(entries, row, key) for key in COLUMNS)} |")
    chances = [of_row(entries[name], RAW)[0]["scores"][column]["chance"] for name, column in COLUMNS]
    lines.append(f"| guessing | {' | '.join(f'{chance:.2f}' for chance in chances)} |")
    return "\n".join([*lines, "", _behind(entries)]) + "\n"


def _cell(entries: Mapping[str, Sequence[Entry]], row: str, key: tuple[str, str]) -> str:
    """The mean over seeds, and what is gone or kept of raw."""
    found, column = entries[key[0]], key[1]
    value = mean_of(found, row, column)
    assert value is not None
    if row == RAW:
        return f"{value:.2f}"
    share = kept(found, row, column) if column == "unseen actions" else gone(found, row, column)
    word = "kept" if column == "unseen actions" else "gone"
    return f"{value:.2f}" if share is None else f"{value:.2f} ({share:.0%} {word})"


def _behind(entries: Mapping[str, Sequence[Entry]]) -> str:
    """How many seeds, people and videos."""
    told = []
    for name, found in entries.items():
        raw = of_row(found, RAW)
        people = raw[0]["scores"]["named"]["people"]
        seeds = sorted({len(of_row(found, row)) for row in SHOWN if of_row(found, row)})
        many = f"{seeds[0]} to {seeds[-1]} seeds" if len(seeds) > 1 else f"{seeds[0]} seeds"
        told.append(f"{name}: {raw[0]['videos']} videos, {people} people named, {many} a row")
    older = any(not is_current(entry) for found in entries.values() for entry in found)
    return (
        f"Means over seeds, of features in {SPACE}; intervals, other attackers and every row: docs/transport.md. "
        f"{'; '.join(told)}.{OLDER if older else ''}"
    )


def published_table(cells: Mapping[str, Sequence[Entry]]) -> str:
    """What the published objective hides of strangers, as far as it was trained, and a random move of that length."""
    told = [
        (SOURCE, UNCENTRED, STRANGERS, "stills of signers"),
        (FACES, UNCENTRED, STRANGERS, "two views of faces"),
        (FACES, UNCENTRED, FACE_SET, "two views of faces"),
        (SOURCE, CENTRED, STRANGERS, "stills of signers, features centred (a control)"),
    ]
    lines = [
        "| pairs in training | graded on | | public grader: gone | best attack: gone | seeds | by the rule |"
    ]
    lines.append("|---" * 7 + "|")
    for source, space, graded, pairs in told:
        found = Findings(list(cells[source]))
        for arm, name in (("released", "published objective"), (RANDOM, "a random move as long")):
            if not found.cells(space, arm):
                continue
            shares = [found.share(space, arm, graded, grader) for grader in (PUBLIC, ATTACK)]
            values = [share.interval for share in shares]
            gone_of = " | ".join(f"{one.value:.0%} [{one.low:.0%}, {one.high:.0%}]" for one in values)
            said = verdict(grader_gone=values[0].value, attack_gone=values[1].value)
            judged = said if arm == "released" else "–"
            who = f"{_people(cells[source], graded):,} people of {graded}"
            lines.append(f"| {pairs} | {who} | {name} | {gone_of} | {len(shares[0].by_seed)} | {judged} |")
    return "\n".join([*lines, "", "In brackets: 95 % over people."]) + "\n"


def _people(entries: Sequence[Entry], graded: str) -> int:
    """How many strangers of a set stand behind the cells."""
    return max(entry["graded"][graded]["people"] for entry in entries)


if __name__ == "__main__":
    main()
