"""The pages of a folder of runs: one per table, and an index with a verdict on every claim."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.actors_data import ACTORS
from latentveil.bench.all import recipes_for
from latentveil.bench.judging import FAILS, HOLDS, RULE, UNKNOWN, Verdict
from latentveil.bench.measured import read_kept_spent, read_measured
from latentveil.bench.plot import render_plot
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe import SEEN_UNSEEN, Recipe, known_recipes, load_recipe
from latentveil.bench.run import gather
from latentveil.bench.score_table import render_page, verdicts
from latentveil.bench.scores import Entries
from latentveil.bench.spent import Length, Spent

INDEX = "index.md"
HISTORY = (
    "history.md"  # beside what was measured: what was changed after looking at numbers, in a person's words
)
SECTIONS = {HOLDS: "Holds here", FAILS: "Does not hold here", UNKNOWN: "Cannot be told here"}


@dataclass(frozen=True)
class JudgedClaim:
    """One claim, the paper's table that makes it, the page with our numbers and what they say of it.

    ``page`` is None where the recipe was not run; ``recipe`` is then the one to run.
    """

    text: str
    source: str
    recipe: str
    page: str | None
    verdict: Verdict


def runs_of(name: str, measured: Path) -> list[Path]:
    """The folders of a recipe's runs, that on its own data first; other recipes may begin with its name."""
    others = [other for other in known_recipes() if other.startswith(f"{name}-")]
    found = [measured / name, *sorted(measured.glob(f"{name}-*"))]
    return [
        folder
        for folder in found
        if folder.is_dir() and not any(folder.name.startswith(other) for other in others)
    ]


@dataclass(frozen=True)
class MeasuredTable:
    """A recipe and what one of its runs found; ``page`` and ``found`` are None where it was not run."""

    name: str
    recipe: Recipe
    page: str | None = None
    found: Entries | None = None

    def judged(self) -> list[JudgedClaim]:
        return [
            JudgedClaim(text, source, self.name, self.page, verdict)
            for text, source, verdict in verdicts(self.recipe, self.found)
        ]

    def write_page(self, docs: Path) -> Path:
        """The page of the run in ``docs``, and its picture beside it."""
        assert self.found is not None
        protocol, page = PROTOCOLS.get(self.recipe.protocol), docs / f"{self.page}.md"
        picture = page.with_suffix(".svg")
        picture.write_text(protocol.plot(self.recipe, self.found) or render_plot(self.recipe, self.found))
        page.write_text(render_page(self.name, self.recipe, self.found, protocol, plot=picture.name))
        return page


def measured_tables(measured: Path) -> list[MeasuredTable]:
    """Every run that is kept in ``measured``, and every recipe without one."""
    tables = []
    for name in known_recipes():
        recipe = load_recipe(name)
        if recipe.protocol == SEEN_UNSEEN:
            continue  # those have pages of their own
        runs = [
            MeasuredTable(name, recipe, folder.name, gather(recipe, read_measured(folder)))
            for folder in runs_of(name, measured)
        ]
        tables += runs or [MeasuredTable(name, recipe)]
    return tables


def write_pages(measured: Path, docs: Path) -> list[Path]:
    """One page and picture in ``docs`` for every table that was ``measured``, and the index; gives the pages."""
    docs.mkdir(parents=True, exist_ok=True)
    tables = measured_tables(measured)
    pages = [table.write_page(docs) for table in tables if table.found is not None]
    claims = [claim for table in tables for claim in table.judged()]
    earlier = [page for page in sorted(docs.glob("*.md")) if page not in pages and page.name != INDEX]
    told = measured / HISTORY
    history = told.read_text().strip() if told.is_file() else ""
    (docs / INDEX).write_text(
        render_index(claims, pages, earlier, read_kept_spent(measured), history=history)
    )
    return [*pages, docs / INDEX]


def render_index(
    claims: list[JudgedClaim],
    pages: list[Path],
    earlier: list[Path],
    spent: dict[str, dict[Length, Spent]],
    *,
    history: str = "",
) -> str:
    """The index: how many claims hold, a table per verdict, and the rule with its ``history``.

    Of ``earlier`` pages no results are kept.
    """
    old = ", ".join(f"[{page.stem}]({page.name})" for page in earlier)
    told = f"Pages of earlier sessions, whose results were not kept and give no verdict here: {old}."
    run = [claim for claim in claims if claim.page is not None]
    return "\n".join(
        [
            "# Claims of the paper, and what is found here",
            "",
            "Written by `python -m benchmarks.pages.results`; do not edit. Each claim of the papers is a comparison of "
            "rows of a table, and its verdict follows from our numbers by [one rule](#the-rule). The papers' own data "
            "are not here, so a verdict is about the data that its page names.",
            "",
            f"Of {len(claims)} claims, {len(run)} were looked at: {_counted(run, HOLDS)} hold here, "
            f"{_counted(run, FAILS)} do not, of {_counted(run, UNKNOWN)} it cannot be told. The tables of the others "
            "were not run.",
            "",
            *_overview(claims),
            "Numbers are the scores of two rows, in brackets their difference with its 95 % interval. The pages have "
            "all rows.",
            "",
            *(line for verdict in SECTIONS for line in _section(run, verdict)),
            *_not_run([claim for claim in claims if claim.page is None]),
            "## The rule",
            "",
            RULE,
            "",
            *(["## What was changed after looking", "", history, ""] if history else []),
            "## Pages",
            "",
            ", ".join(f"[{page.stem}]({page.name})" for page in pages) + ".",
            "",
            *([told, ""] if earlier else []),
            *render_spent(spent),
        ]
    )


def _overview(claims: list[JudgedClaim]) -> list[str]:
    """How the claims of each table, or of each other publication, came out; on whichever data."""
    lines = ["| claims of | hold | do not | cannot be told | not run |", "|---|---|---|---|---|"]
    owners = {claim.source.partition(",")[0] for claim in claims}
    for owner in sorted(owners, key=_in_order):
        own = [claim for claim in claims if claim.source.partition(",")[0] == owner]
        run = [claim for claim in own if claim.page is not None]
        counts = [*(_counted(run, verdict) for verdict in SECTIONS), len(own) - len(run)]
        lines.append(f"| {owner} | {' | '.join(str(count or '') for count in counts)} |")
    return [*lines, ""]


def _in_order(owner: str) -> tuple[bool, int, str]:
    """Tables of the paper first, by their number."""
    number = owner.removeprefix("Table ")
    return (False, int(number), "") if number.isdigit() else (True, 0, owner)


def _counted(claims: list[JudgedClaim], verdict: str) -> int:
    return sum(claim.verdict.verdict == verdict for claim in claims)


def _section(claims: list[JudgedClaim], verdict: str) -> list[str]:
    """The claims of one verdict, with the page and the reason of each."""
    lines = [
        f"| {claim.text} | {claim.source} | [{claim.page}]({claim.page}.md) | {claim.verdict.in_short()} |"
        for claim in claims
        if claim.verdict.verdict == verdict
    ]
    if not lines:
        return []
    return [f"## {SECTIONS[verdict]}", "", "| claim | of | page | numbers |", "|---|---|---|---|", *lines, ""]


def _not_run(claims: list[JudgedClaim]) -> list[str]:
    """The claims that nothing was measured for, with what to run."""
    if not claims:
        return []
    lines = [
        f"| {claim.text} | {claim.source} | `veil bench {claim.recipe}` | {claim.verdict.not_run} |"
        for claim in claims
    ]
    return ["## Not run", "", "| claim | of | command | why |", "|---|---|---|---|", *lines, ""]


def render_spent(spent: dict[str, dict[Length, Spent]]) -> list[str]:
    """What the recipes took, quick and whole."""
    if not spent:
        return []
    quick = [one["quick"].core_seconds for one in spent.values() if "quick" in one]
    lines = [
        "## What the recipes take",
        "",
        "Seconds of one core, workers included, for so many rows under a seed. Data are made by the first recipe that "
        "needs them and trainings are shared, so that a recipe alone takes longer than after others. Quick runs are "
        f"those of `veil bench NAME --data actors --quick`: {len(quick)} recipes, {sum(quick) / 60:.1f} minutes of one "
        "core together. A whole run is timed as far as it was run here.",
        "",
        "| recipe | quick | rows | whole | rows and seeds |",
        "|---|---|---|---|---|",
    ]
    for name, one in spent.items():
        cells = [
            f"{found.core_seconds:.0f} | {found.entries}" if found is not None else "– | –"
            for found in (one.get("quick"), one.get("whole"))
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    untimed = [name for name in recipes_for(ACTORS) if "quick" not in spent.get(name, {})]
    told = f"Quick runs that were not timed yet: {', '.join(untimed)}."
    return [*lines, "", *([told, ""] if untimed else [])]
