"""Tables of 0/1 attributes, one row per video or image: a CSV file, or a pickle of arrays."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from latentveil.datasets.label_pickle import read_label_pickle
from latentveil.datasets.root import Root, read_text
from latentveil.errors import InputError

PICKLES = (".pickle", ".pkl")


def read_binary_labels(root: Root, *patterns: str, attributes: Sequence[str]) -> dict[str, dict[str, str]]:
    """{name: {``secret_<attribute>``: 0 or 1}} from the first of ``patterns`` that is there.

    A CSV file has the name in its first column and a column per attribute; a pickle has arrays in the order of
    ``attributes``.
    """
    path = root.need(*patterns)
    if path is None:
        return {}
    rows = _of_pickle(path, attributes) if path.suffix in PICKLES else _of_csv(path, attributes)
    found: dict[str, dict[str, str]] = {}
    for name, values in rows:
        wrong = [value for value in values if value not in (0.0, 1.0)]
        if wrong:
            raise InputError(f"{path}: attributes must be 0 or 1, got {wrong[0]} for {name!r}.")
        if name in found:
            raise InputError(f"{path}: {name!r} must be there once, got it twice.")
        columns = [f"secret_{attribute}" for attribute in attributes]
        found[name] = {column: str(int(value)) for column, value in zip(columns, values)}
    return found


def _of_csv(path: Path, attributes: Sequence[str]) -> Iterable[tuple[str, list[float]]]:
    reader = csv.DictReader(read_text(path).splitlines())
    names = reader.fieldnames or []
    missing = [name for name in attributes if name not in names]
    if missing:
        raise InputError(f"{path} must have a column {missing[0]!r}, got {', '.join(names) or 'none'}.")
    for row in reader:
        try:
            yield row[names[0]], [float(row[name]) for name in attributes]
        except (TypeError, ValueError) as error:
            raise InputError(f"{path}: attributes must be 0 or 1, got {row}.") from error


def _of_pickle(path: Path, attributes: Sequence[str]) -> Iterable[tuple[str, list[float]]]:
    for name, values in read_label_pickle(path).items():
        if len(values) != len(attributes):
            raise InputError(f"{path}: {name!r} must have {len(attributes)} values, got {len(values)}.")
        yield name, values.tolist()
