# Two commands do everything: `make run` and `make test`. The rest is for people who change the code.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
FULL ?=

.PHONY: run test check bench eval lock clean

run: $(VENV)/.run
	@$(BIN)/testigo start

test: $(VENV)/.dev
	@echo "Running the tests on two cores (some minutes) ..."
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: $(VENV)/.dev
	@FULL=$(FULL) $(BIN)/python -m tests.benchmarks.bench_$(NAME)

# Asks the project's own 60 questions of the sample company, and fails when they are answered worse than in the run that
# is kept; SAVE=1 keeps this run instead.
EVAL := TESTIGO_DATA_DIR=.testigo/eval TESTIGO_GENERATOR=extractive TESTIGO_MODE=balanced \
	$(BIN)/testigo --config tests/corpus/testigo.toml

eval: $(VENV)/.run
	@$(EVAL) sync
	@echo "The report will be .testigo/eval/report.html"
	@$(EVAL) eval tests/corpus/questions.jsonl --html .testigo/eval/report.html \
		$(if $(SAVE),--save,--compare) tests/corpus/baseline.json

# Writes the exact versions that this environment has; to be run in a fresh one.
lock: $(VENV)/.dev
	@$(PIP) freeze --exclude-editable | sed 's/+cpu$$//' > constraints.txt

clean:
	rm -rf $(VENV) .testigo

$(BIN)/python:
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Testigo needs Python 3.11 or newer: install it, or name it, as in: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "Python has no venv module: install it (Debian: apt-get install python3-venv) and try again."; exit 1; }

$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Testigo and its libraries (2 GB on disk; a few minutes the first time) ..."
	@$(PIP) install --quiet --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "Installing the tools for tests ..."
	@$(PIP) install --quiet --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@
