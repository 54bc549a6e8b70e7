"""The entry point: collects the subcommands and turns errors into one sentence and an exit status."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from latentveil import __version__
from latentveil.arguments import named_as_options
from latentveil.cli.given_once import GivenOnce
from latentveil.cli.option_names import option_names
from latentveil.cli.statuses import BAD_INPUT, COLLAPSED, DONE, STOPPED, WRONG_USE
from latentveil.errors import CollapsedTrainingError, InputError, Notice, UsageError
from latentveil.foreign_code import blamed
from latentveil.printable import printable

# Typer keeps its own copy of click in some versions, so what the parser raises is found by its name.
ParserError: type[typer.BadParameter] = next(  # type: ignore[assignment]
    base for base in typer.BadParameter.__mro__ if base.__name__ == "UsageError"
)

NO_COMMANDS = {
    "main",
    "diagnosis",
    "engine_options",
    "failures",
    "given_once",
    "option_names",
    "statuses",
    "story",
    "words",
}  # these serve commands

app = typer.Typer(
    name="veil",
    help="Latent anonymization for video features: safe features out, with proof of what an attacker still learns.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help text, in a third of the time
)


def _add_subcommands() -> None:
    """Add every other module of this folder by its function ``command``, or by its ``app`` of several commands.

    Trailing underscores leave the name.
    """
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        if path.stem not in NO_COMMANDS:
            module = import_module(f"latentveil.cli.{path.stem}")
            name = path.stem.rstrip("_")
            if hasattr(module, "app"):
                for added in module.app.registered_commands:
                    added.cls = GivenOnce
                app.add_typer(module.app, name=name)
            else:
                app.command(name, cls=GivenOnce)(module.command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"latentveil {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave."),
    ] = False,
) -> None:
    """Latent anonymization for video features: safe features out, with proof of what an attacker still learns."""


def _tell_notices(usual: Callable[..., None]) -> Callable[..., None]:
    """Print what a user should know as a sentence, and all other warnings as ``usual``."""

    def tell(message: Warning | str, category: type[Warning], *rest: object, **options: object) -> None:
        if issubclass(category, Notice):
            print(message, file=sys.stderr)
        else:
            usual(message, category, *rest, **options)

    return tell


@cache
def _parser() -> Callable[..., object]:
    """All commands, put together once for any number of runs."""
    return get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run `veil` and give its exit status, one of `statuses`."""
    words = sys.argv[1:] if arguments is None else arguments
    options = option_names(_parser(), words)
    try:
        with warnings.catch_warnings(), named_as_options(options):
            warnings.simplefilter("always", Notice)
            warnings.showwarning = _tell_notices(warnings.showwarning)
            status = _parser()(words, standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        status = STOPPED
    except Exception as error:
        status = _tell_error(blamed(error), options)
    if status == STOPPED:
        print(
            "Stopped. What is finished is kept: the same command goes on from there, or begins anew.",
            file=sys.stderr,
        )
    return status if isinstance(status, int) else DONE


def _tell_error(error: Exception, options: Mapping[str, str]) -> int:
    """Tell what is wrong in a sentence, and give the status; what nobody should ever see is raised again."""
    match error:
        case ParserError():
            error.show()
            return WRONG_USE
        case UsageError():
            name, space, rule = str(error).partition(" ")
            _tell(f"{options.get(name, name)}{space}{rule}")
            return WRONG_USE
        case CollapsedTrainingError():
            _tell(error)
            return COLLAPSED
        case InputError():
            _tell(error)
        case OSError():  # a full disk, a missing permission
            _tell(f"{error.filename or 'the system'} must be usable, got: {error.strerror or error}.")
        case MemoryError() | RecursionError():  # an input that is larger or deeper than this machine can take
            _tell(f"the input must fit into memory, got {type(error).__name__}. Give smaller parts.")
        case _:
            raise error
    return BAD_INPUT


def _tell(error: object) -> None:
    """A sentence about an error on standard error, which may be of several lines."""
    lines = [printable(line) for line in str(error).split("\n")]
    print("veil:", "\n".join(lines), file=sys.stderr)


def main() -> None:
    """The command `veil`."""
    _add_subcommands()
    sys.exit(run())
