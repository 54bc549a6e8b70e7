"""What pydantic finds wrong with a value, in the words of our own messages."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from latentveil.errors import InputError, UsageError

WORDS = {
    "a valid string": "a text",
    "a valid number": "a number",
    "a valid integer": "a whole number",
    "a valid boolean": "true or false",
}
# In this order: the first that fits.
FORMS = (
    (r"greater than or equal to (.+)", r"\1 or more"),
    (r"less than or equal to (.+)", r"at most \1"),
    (r"greater than (.+)", r"above \1"),
    (r"less than (.+)", r"below \1"),
    (r"a valid dictionary or instance of .+", "a section, whose values are set one by one"),
)


def wrong_value(error: ValidationError) -> InputError:
    """An error that names the first wrong value and what it must be; our own error where one was raised inside."""
    problem: Any = error.errors()[0]
    cause = problem.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause
    name = ".".join(str(part) for part in problem["loc"])
    return UsageError(f"{name} must be {rule_in_words(problem['msg'])}, got {problem.get('input')!r}.")


def rule_in_words(message: str) -> str:
    """What the value should be; what pydantic says where it has other words for it."""
    rule = re.sub(r", (unable to|got a) .*", "", message.removeprefix("Input should be "))
    for form, words in FORMS:
        if re.fullmatch(form, rule):
            return re.sub(form, words, rule)
    return WORDS.get(rule, rule)
