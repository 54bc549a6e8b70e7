"""Results as pages, cards and plots, from plain records alone.

`page.py` fills the templates, `headline.py` says what a reader must know first, `short.py` the same for a terminal,
`card.py` is an adapter's README. `findings.py` puts all that was tested on one scale; `words.py` and `charts.py` are
shared.
"""
