"""The page of the documentation that lists the data sets, made from the data sets themselves."""

from __future__ import annotations

from collections.abc import Sequence

from latentveil.datasets.base import DataSet

INTRODUCTION = """\
# Data sets

Written by `veil datasets list --markdown` from the data sets themselves; change their files, not this page.

```
veil datasets                                    # this list
veil datasets check ucf101 ROOT                  # what is there, and what is missing, file by file
veil datasets prepare ucf101 ROOT -o prepared --set split=1
veil extract prepared -o raw.store               # keys are those of prepared/labels.csv
veil datasets join prepared other -o both        # several sets for one store, told apart by the column `set`
```

`prepare` writes `labels.csv` (video, split, person and recording where known, a column per label), `segments.csv`
where there are events, and `videos.csv`, the list that `veil extract` takes. Videos and label files may lie in any
folder below ROOT. Of a set of actions that comes without validation videos, a tenth of the training videos become
such: whole people or recordings where there are twenty or more, else single videos. In a column `secret_gender` of 0
and 1, 1 is a woman; gender is as perceived by an annotator.

A data set of your own is a file with one object, `data_set = DataSet(…, reader=…)`: name it as
`package.module:data_set`, or add an entry point in the group `latentveil.data_sets`. Run
`latentveil.testing.check_dataset(data_set, root)` on a small copy of it.
"""


def render_page(data_sets: Sequence[DataSet]) -> str:
    """The page in Markdown: a section for each data set."""
    return "\n".join([INTRODUCTION, *(_section(data_set) for data_set in data_sets)])


def _section(data_set: DataSet) -> str:
    facts = {
        "Task": data_set.task,
        "People": data_set.people,
        "Size": data_set.size,
        "Licence": data_set.licence,
        "From": data_set.source,
    }
    if data_set.unverified:
        facts["Unverified"] = "; ".join(data_set.unverified)
    settings = data_set.settings({}).model_dump()
    if settings:
        facts["Settings"] = ", ".join(f"`{name}={value}`" for name, value in settings.items())
    lines = [f"- {name}: {value}" for name, value in facts.items()]
    layout = "\n".join(data_set.layout)
    return "\n".join([f"## {data_set.name}", "", data_set.about, "", *lines, "", f"```\n{layout}\n```", ""])
