"""A command that refuses an option that is given twice: of two seeds the parser would take the last, without a word."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from latentveil.cli.option_names import shown_name
from latentveil.errors import UsageError


class GivenOnce(TyperCommand):
    """A command whose options are given once each, but for those that take several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever, and then a look at the options in the order of the words."""
        words = list(args)
        rest = super().parse_args(ctx, args)
        _, _, order = self.make_parser(ctx).parse_args(args=words)
        for param in self.params:
            count = order.count(param)
            if param.param_type_name == "option" and count > 1 and not param.multiple:
                raise UsageError(
                    f"{shown_name(param)} must be given once, got it {count} times. Leave all but one of them out."
                )
        return rest
