"""Who may import whom: every room looks down only, methods never see attacks, and attacks never see methods."""

import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import latentveil
from latentveil.cli.main import NO_COMMANDS

ROOT = Path(latentveil.__file__).parent
# What every room stands on: the files beside the rooms, and rooms of plain data, files and the machine. They import
# nothing but each other.
GROUND_ROOMS = {"files", "machine", "results"}
GROUND = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"} | GROUND_ROOMS
# Each room, and the rooms whose files it may import. No room is missing, and there are no exceptions.
LOW = {"video", "store", "losses", "metrics", "report"}
MAY_IMPORT = {
    **{room: set() for room in LOW},
    "encoders": LOW,
    "extraction": LOW | {"encoders"},
    "actors": LOW,
    "datasets": LOW,
    "adapters": LOW | {"encoders"},
    "tasks": LOW,
    "methods": LOW | {"extraction", "adapters", "tasks"},
    "pixels": LOW | {"encoders", "extraction", "adapters", "tasks"},
    "front": LOW | {"extraction", "adapters", "methods", "pixels"},
    "attacks": LOW,
    "auditing": LOW | {"extraction", "adapters", "tasks", "attacks"},
}
MAY_IMPORT["bench"] = set(MAY_IMPORT) - {"datasets", "front"}
MAY_IMPORT["tuning"] = MAY_IMPORT["auditing"] | {"methods", "auditing"}
MAY_IMPORT["scale"] = set(MAY_IMPORT)
MAY_IMPORT["testing"] = set(MAY_IMPORT) - {"bench", "scale"}
MAY_IMPORT["cli"] = set(MAY_IMPORT) | {"cli"}


def room_of(path: Path) -> str:
    """The room that a file is in, or the file's own name for those beside the rooms."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def rooms_imported_by(path: Path) -> set[str]:
    """The rooms and ground files that a file imports anywhere in it, functions and type checking included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} must import by full names"
            whole = node.module == "latentveil"
            names = [f"latentveil.{alias.name}" for alias in node.names] if whole else [node.module or ""]
        found |= {name.split(".")[1] for name in names if name.startswith("latentveil.")}
    return found - {"__version__"}


def test_every_room_has_its_place():
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert rooms == set(MAY_IMPORT) | GROUND_ROOMS


def test_files_that_a_room_tells_of_are_there():
    for path in ROOT.rglob("__init__.py"):
        told = re.findall(r"`([a-z_]+(?:\.py|/))`", ast.get_docstring(ast.parse(path.read_text())) or "")
        missing = [name for name in told if not (path.parent / name).exists()]
        assert not missing, f"{path.relative_to(ROOT)} tells of {', '.join(missing)}"


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_is_below_it(room):
    for path in sorted((ROOT / room).rglob("*.py")):
        forbidden = rooms_imported_by(path) - GROUND - MAY_IMPORT[room] - {room}
        assert not forbidden, f"{path.relative_to(ROOT)} imports {', '.join(sorted(forbidden))}"


@pytest.mark.parametrize("name", sorted(GROUND))
def test_the_ground_rests_on_itself(name):
    for path in (ROOT / name).rglob("*.py") if name in GROUND_ROOMS else [ROOT / f"{name}.py"]:
        assert rooms_imported_by(path) <= GROUND, path


def test_no_room_is_its_own_ancestor():
    graph: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        if path.parent != ROOT or path.stem in GROUND:
            graph.setdefault(room_of(path), set()).update(rooms_imported_by(path) - {room_of(path)})
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError where there is a cycle
    assert order.index("attacks") < order.index("auditing") < order.index("cli")


def test_the_command_line_imports_nothing_heavy_at_the_top():
    ours = {
        f"latentveil{room}" for room in ("", ".arguments", ".cli", ".errors", ".foreign_code", ".printable")
    }
    light = sys.stdlib_module_names | {"typer"} | ours
    loaded_later = NO_COMMANDS - {"main"}
    for path in sorted(
        set((ROOT / "cli").glob("*.py")) - {ROOT / "cli" / f"{name}.py" for name in loaded_later}
    ):
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                parts = name.split(".")
                assert {parts[0] if parts[0] != "latentveil" else name, ".".join(parts[:2])} & light, (
                    f"{path.name} imports {name} at the top"
                )
