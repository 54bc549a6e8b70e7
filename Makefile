PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: demo test lint venv examples docs test-lowest release-check bench bench-table5 bench-tasks bench-speed

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

# Tables on real people (needs LATENTVEIL_DATA), about an hour on two cores; a stopped run goes on.
bench: $(INSTALLED) bench-table5
	$(BIN)/veil bench real --out runs > docs/real.md
	$(BIN)/python benchmarks/write_results.py runs/real
	$(BIN)/veil bench motion --out runs > docs/motion.md
	$(BIN)/veil bench faces --out runs > docs/faces.md

# What each term of the published objective does.
bench-table5: $(INSTALLED)
	$(BIN)/veil bench table5 --out runs > /dev/null
	$(BIN)/python benchmarks/write_table5.py runs/table5

# Raw scores and Table 4 on actors (real falls too, with LATENTVEIL_DATA), hours on two cores; a stopped run goes on.
bench-tasks: $(INSTALLED)
	$(BIN)/python benchmarks/actors_tasks.py runs/actors --docs docs/actors_tasks.md
	$(BIN)/python benchmarks/table4.py runs/actors --docs docs/table4.md

# How fast each part is, as ratios taken in one run.
bench-speed: $(INSTALLED)
	$(BIN)/python benchmarks/write_docs.py

venv: $(INSTALLED)

.venv/.docs: $(INSTALLED)
	$(BIN)/pip install --quiet -c constraints.txt ".[docs]"
	touch $@

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@
