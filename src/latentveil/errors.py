"""The errors that reach a user, each with the exit status the command line gives it."""


class InputError(ValueError):
    """A file, folder or value that a user handed over is not usable (exit status 2)."""


class CollapsedTrainingError(RuntimeError):
    """Training went on to a useless result: constant outputs, dead dimensions or NaN (exit status 4)."""
