"""Pages of the docs site that are written by a program: commands, attacks, and the files of the root folder.

mkdocs calls ``on_files``; nothing is written into docs/.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import typer

ROOT = Path(__file__).resolve().parents[2]


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to those that mkdocs found."""
    from mkdocs.structure.files import File

    for path, text in generated_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def generated_pages() -> dict[str, str]:
    """{path below docs/: Markdown}."""
    return {
        "reference/commands.md": commands_page(),
        "reference/attacks.md": attacks_page(),
        "contributing.md": root_page("CONTRIBUTING.md"),
        "changelog.md": root_page("CHANGELOG.md"),
    }


def root_page(name: str) -> str:
    """A file of the root folder, with its links into docs/ as the site has them."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def commands_page() -> str:
    """Every command with its arguments and options, from the commands themselves."""
    from latentveil.cli.main import _add_subcommands, app
    from latentveil.cli.statuses import MEANINGS

    if not app.registered_commands:
        _add_subcommands()
    group: Any = typer.main.get_command(app)
    parts = [
        "# Commands\n\nWritten from the commands themselves; `veil COMMAND --help` says the same.",
        "\n".join(
            [
                "| exit status | what it says |",
                "|---|---|",
                *(f"| {n} | {_cell(m)} |" for n, m in MEANINGS.items()),
            ]
        ),
    ]
    for name, command in sorted(group.commands.items()):
        parts += [f"## veil {name}", _usage(name, command), inspect.cleandoc(command.help or "")]
        parts.append(_options_table(command))
    return "\n\n".join(part for part in parts if part) + "\n"


def attacks_page() -> str:
    """Every attack with its own first sentence and its parameters."""
    from latentveil.attacks import ATTACKS

    rows = [f"| `{attack.name}` | {_cell(attack.about)} |" for attack in ATTACKS.all()]
    head = (
        "# Attacks\n\nWritten from the attacks themselves. `veil audit --attacks linear,mlp` chooses some of them, "
        "`lv.audit(..., attacks=[...])` takes names and objects. Every one is fitted anew on the features it grades, "
        "makes every choice on validation videos, and answers for the test videos once. How to write another one: "
        "[Extending](../extending.md#an-attack).\n\n| name | what it does |\n|---|---|"
    )
    return "\n".join([head, *rows]) + "\n"


def _usage(name: str, command: Any) -> str:
    arguments = [_shown(param) for param in command.params if param.param_type_name == "argument"]
    needed = [f"{_flags(param)[-1]} {_shown(param)}" for param in _options(command) if param.required]
    return f"```\n{' '.join(['veil', name, *arguments, *needed, '[OPTIONS]'])}\n```"


def _options(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "option" and param.name != "help"]


def _options_table(command: Any) -> str:
    rows = []
    for param in command.params:
        if param.param_type_name == "argument":
            rows.append(f"| `{_shown(param)}` | {_cell(getattr(param, 'help', None))} | |")
    for param in _options(command):
        flags = ", ".join(f"`{flag}`" for flag in _flags(param))
        rows.append(f"| {flags} | {_cell(param.help)} | {_default(param)} |")
    return "\n".join(["| | what it is | default |", "|---|---|---|", *rows]) if rows else ""


def _flags(param: Any) -> list[str]:
    return [*param.opts, *param.secondary_opts]


def _shown(param: Any) -> str:
    word = (param.metavar or param.name.replace("_", "-")).upper()
    return f"{word}..." if param.nargs == -1 or getattr(param, "multiple", False) else word


def _default(param: Any) -> str:
    if param.required:
        return "needed"
    default = param.default() if callable(param.default) else param.default
    if default is None or default is False or default in ("", (), []):
        return ""
    return f"`{default}`"


def _cell(text: str | None) -> str:
    """One line of Markdown that fits into a table."""
    return " ".join((text or "").split()).replace("|", "\\|")
