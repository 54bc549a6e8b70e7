"""The errors that reach a user, each with the exit status the command line gives it."""


class InputError(ValueError):
    """A file, folder or value that a user handed over is not usable (exit status 2)."""


class UsageError(InputError):
    """Words that no data could make right: an unknown name, options that exclude each other (exit status 1)."""


class Notice(UserWarning):
    """Something that a user should know and that does not stop the work; the command line prints it as a sentence."""


class CollapsedTrainingError(RuntimeError):
    """Training went on to a useless result: constant outputs, dead dimensions or NaN (exit status 4)."""
