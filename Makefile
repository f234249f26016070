# Everything runs from a virtual environment of its own; nothing needs root, Docker, Java or a broker on the machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.set-up

.PHONY: setup demo test test-all test-lowest pytest lint format types contracts bench schemas constraints clean

setup: $(STAMP)

# Debian splits `venv` into a package of its own; without it a user-installed virtualenv does the same.
$(STAMP): constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "linger-memory needs Python 3.11 or later; this is $$($(PYTHON) --version). Name another one: make setup PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/pip || { rm -rf $(VENV); $(PYTHON) -c 'import ensurepip' 2>/dev/null && $(PYTHON) -m venv $(VENV); } \
	  || { rm -rf $(VENV); $(PYTHON) -m virtualenv --quiet $(VENV) 2>/dev/null; } \
	  || { $(PYTHON) -m pip install --user --quiet virtualenv && $(PYTHON) -m virtualenv --quiet $(VENV); } \
	  || { echo "No virtual environment could be made. On Debian or Ubuntu: apt-get install python3-venv (or: $(PYTHON) -m pip install --user --break-system-packages virtualenv), then make setup again." >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: setup
	$(BIN)/linger-memory demo

test: lint types contracts
	$(BIN)/python -m pytest -m "not slow"

test-all: lint types contracts
	$(BIN)/python -m pytest

# The lower bounds in pyproject.toml, tested: the oldest version of each package that we name, in an environment of its own.
test-lowest: setup
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --resolution lowest-direct --python-version 3.11 --output-file .venv-lowest/requirements.txt
	$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/python -m pytest -m "not slow"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m tests.benchmarks.activity

schemas: setup
	$(BIN)/python -m schemas.generate

# Pins every package of every extra, for every platform and Python from 3.11 on; names no index, no host and no path.
constraints: setup
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-annotate --upgrade --quiet \
	  --custom-compile-command "make constraints" --output-file constraints.txt

clean:
	rm -rf $(VENV) .venv-lowest build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .test-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
