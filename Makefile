PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: demo test lint venv bench bench-speed

demo: $(INSTALLED)
	$(BIN)/veil demo --out demo

test: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

lint: $(INSTALLED)
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# Tables on real people (needs LATENTVEIL_DATA), about an hour on two cores; a stopped run goes on.
bench: $(INSTALLED)
	$(BIN)/veil bench real --out runs > docs/real.md
	$(BIN)/python benchmarks/write_results.py runs/real

# How fast each part is, as ratios taken in one run.
bench-speed: $(INSTALLED)
	$(BIN)/python benchmarks/write_docs.py

venv: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@
