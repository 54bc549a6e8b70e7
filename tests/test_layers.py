"""Who may import whom: methods never see attacks, attacks never see methods, and low layers never look up."""

import ast
import sys
from pathlib import Path

import pytest

import latentveil

ROOT = Path(latentveil.__file__).parent
# Everything rests on these; they hold plain data and numbers and import nothing above them.
GROUND = {
    "types",
    "errors",
    "config",
    "devices",
    "seeds",
    "sequences",
    "probes",
    "datasets.labels",
    "evaluation.metrics",
    "evaluation.intervals",
}
MAY_IMPORT = {
    "video": set(),
    "encoders": set(),
    "store": set(),
    "losses": set(),
    "adapters": set(),
    "datasets": {"video"},
    "tasks": {"losses", "evaluation.detection_map", "evaluation.anomaly_metrics"},
    "methods": {"adapters", "losses", "tasks"},
    "attacks": set(),
    "evaluation": {"attacks", "tasks", "datasets"},
    "report": set(),
}


def imports_of(path: Path) -> set[str]:
    """The modules of ours that a file imports, as "package.module"."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= {name.removeprefix("latentveil.") for name in names if name.startswith("latentveil.")}
    return found


@pytest.mark.parametrize("layer", sorted(MAY_IMPORT))
def test_a_layer_imports_only_what_is_below_it(layer):
    allowed = GROUND | MAY_IMPORT[layer] | {layer}
    for path in sorted((ROOT / layer).rglob("*.py")):
        for name in imports_of(path):
            parts = name.split(".")
            prefixes = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
            known = any((ROOT / Path(*prefix.split("."))).with_suffix(".py").exists() for prefix in prefixes)
            package = (ROOT / parts[0]).is_dir()
            if known or package:
                assert prefixes & allowed or prefixes <= {"datasets", "evaluation"}, (
                    f"{path.relative_to(ROOT)} imports {name}"
                )


def test_the_command_line_imports_nothing_heavy_at_the_top():
    light = sys.stdlib_module_names | {"typer", "latentveil", "latentveil.errors", "latentveil.cli"}
    for path in sorted((ROOT / "cli").glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                parts = name.split(".")
                assert {parts[0] if parts[0] != "latentveil" else name, ".".join(parts[:2])} & light, (
                    f"{path.name} imports {name} at the top"
                )
