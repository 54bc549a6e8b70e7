"""Tables of publications, reproduced: recipes (TOML), what runs them, and the pages that come out.

`run.py` is `veil bench`; `recipe.py` and `rows.py` are what a recipe may say, `runner.py` measures its rows, seed by
seed, with adapters that are kept (`adapters.py`). A file of `protocols/` cuts the data and says what is measured, by
`measures/`, by the publications' own `graders/`, or on rewritten videos (`pixels/`). `scores.py` is one number,
`score_table.py` the page of a table (`table.py` that of the protocol seen_unseen), `claims.py` the verdicts,
`index.py` all pages together, `measured.py` what is kept in git.
"""
