"""What the exit status of a command says, and the rule that tells 1 from 2.

Wrong use (`UsageError`) is what can be judged by the words of the command alone, without a look at anything that they
name. Bad input (`InputError`) is what has to be looked at: files, folders, stores, labels, recipes, and the machine.
"""

from __future__ import annotations

DONE, WRONG_USE, BAD_INPUT, SOME_FAILED, COLLAPSED = range(5)
STOPPED = 130  # as shells have it

# As the reference of commands has them.
MEANINGS = {
    DONE: "done, or done before: what is there is what would be made",
    WRONG_USE: "wrong use: the words alone are wrong, such as an unknown option, name or task, a number out of range, "
    "or options that exclude or need each other; no file was opened to tell",
    BAD_INPUT: "bad input: something that the command names is missing, damaged or does not fit (a file, folder, "
    "store, adapter, column, or row of a recipe), or this machine lacks something (a package, a device, memory, room "
    "on a disk)",
    SOME_FAILED: "done, but some items failed; they are listed",
    COLLAPSED: "a training collapsed: its result would be useless",
    STOPPED: "stopped by Ctrl-C; the same command goes on",
}
