"""The errors that reach a user, each with the exit status the command line gives it."""


class InputError(ValueError):
    """Something that a user named is missing, damaged or does not fit, or the machine lacks something (status 2)."""


class UsageError(InputError):
    """Words that no file could make right: an unknown name, a number out of range, arguments at odds (status 1)."""


class PluginError(InputError):
    """A plug-in of somebody else failed, or gave something else than it must (status 2); the cause is chained."""


class Notice(UserWarning):
    """Something that a user should know and that does not stop the work; the command line prints it as a sentence."""


class CollapsedTrainingError(RuntimeError):
    """Training went on to a useless result: constant outputs, dead dimensions or NaN (exit status 4)."""
