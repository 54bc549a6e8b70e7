"""The docs tell the truth: their Python runs, their links lead somewhere, their commands are all there."""

import re
import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import latentveil as lv
from latentveil.actors.sets.write import write_dataset
from latentveil.attacks import ATTACKS
from latentveil.types import TEMPORAL

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^>]+?) -->\n)?^```python\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]+)?\)")
GENERATED = {"reference/commands.md", "reference/attacks.md", "contributing.md", "changelog.md"}


def load_build_program(name):
    spec = spec_from_file_location(f"docs_build_{name}", DOCS / "build" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = load_build_program("pages")
foreign_hosts = load_build_program("foreign_hosts")


def python_blocks(path):
    """(first line, code) of each piece of Python that the page does not excuse."""
    text = path.read_text(encoding="utf-8")
    return [
        (text[: found.start("code")].count("\n"), found["code"])
        for found in BLOCK.finditer(text)
        if found["reason"] is None
    ]


@pytest.fixture
def readers_folder(tmp_path, toy, monkeypatch):
    """What a reader is said to have: features/*.npy, labels.csv, and videos in actors/ for the page about videos."""
    (tmp_path / "features").mkdir()
    for video, kind, _, rows in toy.features.sequences():
        if kind == TEMPORAL:
            np.save(tmp_path / "features" / f"{video}.npy", toy.features.feature[rows])
    toy.labels.write(tmp_path / "labels.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "path", [path for path in [ROOT / "README.md", *PAGES] if python_blocks(path)], ids=lambda path: path.stem
)
def test_python_in_a_page_runs_from_top_to_bottom(path, readers_folder, monkeypatch):
    if "actors/videos" in path.read_text():
        write_dataset(readers_folder / "actors", task="action", num_videos=48, size=64, workers=1)
    page = ModuleType("page")  # a module, so that the page's classes can be pickled
    monkeypatch.setitem(sys.modules, "page", page)
    monkeypatch.setattr(lv, "audit", partial(lv.audit, attacks=["linear"]))  # all of them would take minutes
    for line, code in python_blocks(path):
        exec(compile("\n" * line + code, str(path), "exec"), page.__dict__)


def test_links_between_pages_lead_somewhere():
    for path in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target, _ in LINK.findall(path.read_text(encoding="utf-8")):
            found = (path.parent / target).resolve()
            known = found.is_relative_to(DOCS) and found.relative_to(DOCS).as_posix() in GENERATED
            assert known or found.exists(), f"{path.relative_to(ROOT)} links to {target}"


def anchors_of(path):
    """What links may name on a page: its headings, as mkdocs and GitHub write them, and anchors set by hand."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"(?:id=\"|\{#)([\w-]+)", text))


def test_links_name_headings_that_are_there():
    for path in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        text = path.read_text(encoding="utf-8")
        links = [(target, anchor) for target, anchor in LINK.findall(text) if anchor]
        links += [("", anchor) for anchor in re.findall(r"\]\((#[^)\s]+)\)", text)]
        for target, anchor in links:
            page = (path.parent / target).resolve() if target else path
            if page == DOCS / "contributing.md":
                page = ROOT / "CONTRIBUTING.md"
            if page.suffix == ".md" and page.exists():
                assert anchor[1:] in anchors_of(page), f"{path.relative_to(ROOT)} links to {target}{anchor}"


def test_every_command_and_option_has_a_line():
    page = pages.commands_page()
    for word in (
        "## veil fit",
        "## veil audit",
        "## veil import",
        "`--labels`",
        "`--tasks`",
        "needed",
        "| 1 | wrong use",
    ):
        assert word in page
    commands = {path.stem.rstrip("_") for path in (ROOT / "src/latentveil/cli").glob("[a-z]*.py")}
    told = set(re.findall(r"^## veil (\w+)$", page, re.MULTILINE))
    assert {"fit", "apply", "audit", "extract"} <= told <= commands


def test_every_attack_has_a_line():
    page = pages.attacks_page()
    for attack in ATTACKS.all():
        assert f"| `{attack.name}` | {attack.about} |" in page


def test_generated_pages_are_those_that_links_may_name():
    assert set(pages.generated_pages()) == GENERATED


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<link rel="preconnect" href="https://fonts.example" crossorigin>',
        '<img src="http://example/x.png">',
        "<style>@import 'https://example/x.css';</style>",
        '<p style="background: url(https://example/x.png)">',
    ],
)
def test_what_a_browser_would_fetch_from_elsewhere_is_found(html):
    assert foreign_hosts.foreign_fetches(html, suffix=".html")


def test_links_to_follow_and_own_files_are_no_fetches():
    html = '<a href="https://example/">x</a><script src="assets/x.js"></script>'
    html += '<link rel="canonical" href="https://example/">'
    assert not foreign_hosts.foreign_fetches(html, suffix=".html")
    assert foreign_hosts.foreign_fetches("@font-face { src: url(https://example/f.woff2) }", suffix=".css")
    assert not foreign_hosts.foreign_fetches("@font-face { src: url(../f.woff2) }", suffix=".css")
