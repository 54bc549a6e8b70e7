PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: demo test lint venv examples docs test-lowest release-check bench-data bench-published bench-results bench-transport bench-tasks bench-speed bench-scale soak

demo: $(INSTALLED)
	$(BIN)/veil demo --out demo

test: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

lint: $(INSTALLED)
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# Every example; `make test` runs them, too.
examples: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/pytest tests/test_examples.py

# The docs site in site/; broken links and addresses of other hosts stop it.
docs: .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html; the search needs a server: $(PYTHON) -m http.server -d site"

# The tests with the oldest versions that pyproject.toml admits, in an environment of their own.
test-lowest:
	test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet -c constraints-lowest.txt -e ".[dev]"
	OMP_NUM_THREADS=1 .venv-lowest/bin/pytest -n 2 --dist worksteal

# Builds sdist and wheel, installs the wheel in a new environment, runs the demo from it outside this folder.
release-check: $(INSTALLED)
	.ci/release-check

# Features of real people as folders that `veil bench` takes (needs LATENTVEIL_DATA).
bench-data: $(INSTALLED)
	$(BIN)/python -m benchmarks.prepare_real runs/data

# Does the published objective hide attributes of strangers? A quarter of an hour of one core per trained cell; finished
# ones are kept in docs/measured.
bench-published: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.published

# Every table of the paper on `actors` and on real sets, and docs/results with a verdict per claim. It goes on from what
# docs/measured/results keeps, and from a stopped run.
bench-results: bench-data
	$(BIN)/python -m benchmarks.pages.results runs --restore
	$(BIN)/veil bench all --data actors -o runs > /dev/null
	$(BIN)/veil bench real --data runs/data -o runs > /dev/null
	$(BIN)/python -m benchmarks.pages.results runs

# A release as a set, on real people, and the README's table; what docs/measured/transport keeps is not done again.
bench-transport: bench-data
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.pages.transport --data runs/data --sets lsa64 wlasl100 thetis urfd
	$(BIN)/python -m benchmarks.pages.readme

# Raw scores and Table 4 on actors (real falls too, with LATENTVEIL_DATA), hours on two cores; a stopped run goes on.
bench-tasks: $(INSTALLED)
	$(BIN)/python -m benchmarks.pages.actors_tasks runs/actors -o docs/actors_tasks.md
	$(BIN)/python -m benchmarks.pages.table4 runs/actors -o docs/table4.md

# How fast each part is, as ratios taken in one run.
bench-speed: $(INSTALLED)
	$(BIN)/python -m benchmarks.speed

# How cost and memory grow up to a million clips; writes docs/scale.md, about an hour of one core and 20 GB in runs/scale.
bench-scale: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.scale

# Hostile files, bombs, kills at random moments, faults of machines; writes docs/reliability.md, about half an hour of one core; a stopped run goes on.
soak: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.soak --cases 10000 --kills 100

venv: $(INSTALLED)

.venv/.docs: $(INSTALLED)
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev,docs]"
	touch $@

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@
