"""The pages of a folder of runs: one per table, and an index with a verdict on every claim."""

from __future__ import annotations

from pathlib import Path

from latentveil.bench.actors_data import ACTORS
from latentveil.bench.all import recipes_for
from latentveil.bench.claims import HISTORY, RULE
from latentveil.bench.measured import read_kept_spent, read_measured
from latentveil.bench.plot import render_plot
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe import SEEN_UNSEEN, Recipe, known_recipes, load_recipe
from latentveil.bench.run import gather
from latentveil.bench.score_table import render_page, verdicts
from latentveil.bench.scores import Entries
from latentveil.bench.spent import Length, Spent

INDEX = "index.md"


def runs_of(name: str, measured: Path) -> list[Path]:
    """The folders of a recipe's runs, that on its own data first; other recipes may begin with its name."""
    others = [other for other in known_recipes() if other.startswith(f"{name}-")]
    found = [measured / name, *sorted(measured.glob(f"{name}-*"))]
    return [
        folder
        for folder in found
        if folder.is_dir() and not any(folder.name.startswith(other) for other in others)
    ]


def write_pages(measured: Path, docs: Path) -> list[Path]:
    """One page and picture in ``docs`` for every table that was ``measured``, and the index; gives the pages."""
    docs.mkdir(parents=True, exist_ok=True)
    pages, lines = [], []
    for name in known_recipes():
        recipe = load_recipe(name)
        if recipe.protocol == SEEN_UNSEEN:
            continue  # those have pages of their own
        folders = runs_of(name, measured)
        for folder in folders:
            found = gather(recipe, read_measured(folder))
            pages.append(_write_page(name, recipe, found, docs / f"{folder.name}.md"))
            lines += _verdict_lines(recipe, found, page=f"[{folder.name}]({folder.name}.md)")
        if not folders:
            lines += _verdict_lines(recipe, None, page=f"`veil bench {name}`")
    earlier = [page for page in sorted(docs.glob("*.md")) if page not in pages and page.name != INDEX]
    (docs / INDEX).write_text(render_index(lines, pages, earlier, read_kept_spent(measured)))
    return [*pages, docs / INDEX]


def render_index(
    lines: list[str], pages: list[Path], earlier: list[Path], spent: dict[str, dict[Length, Spent]]
) -> str:
    """The index: the rule, then a line per claim; ``earlier`` pages are of results that are not kept."""
    old = ", ".join(f"[{page.stem}]({page.name})" for page in earlier)
    told = f"Pages of earlier sessions, whose results were not kept and give no verdict here: {old}."
    return "\n".join(
        [
            "# Claims of the paper, and what is found here",
            "",
            "Written by `python -m benchmarks.pages.results`; do not edit. Verdicts follow from the numbers of the "
            "pages by one rule.",
            "",
            RULE,
            "",
            HISTORY,
            "",
            "| claim | where | page | verdict | why |",
            "|---|---|---|---|---|",
            *lines,
            "",
            "Pages: " + ", ".join(f"[{page.stem}]({page.name})" for page in pages) + ".",
            "",
            *([told, ""] if earlier else []),
            *render_spent(spent),
        ]
    )


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


def _verdict_lines(recipe: Recipe, found: Entries | None, *, page: str) -> list[str]:
    return [
        f"| {text} | {source} | {page} | **{verdict.verdict}** | {verdict.why} |"
        for text, source, verdict in verdicts(recipe, found)
    ]


def _write_page(name: str, recipe: Recipe, found: Entries, page: Path) -> Path:
    """The page of one run, and its picture beside it."""
    protocol, picture = PROTOCOLS.get(recipe.protocol), page.with_suffix(".svg")
    picture.write_text(protocol.plot(recipe, found) or render_plot(recipe, found))
    page.write_text(render_page(name, recipe, found, protocol, plot=picture.name))
    return page
