# Two commands matter: `make demo` and `make test`. Both set up .venv first; a bare machine needs only Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv
# Workspace of the demo run, inside the checkout so that nothing of it lands in the user's cache.
DEMO_HOME ?= out/demo
WORKERS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

.PHONY: demo test check bench format lock clean

demo: $(VENV)/.ready-core
	$(BIN)/python -m bench run --home $(DEMO_HOME) --workers $(WORKERS)

test: check
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup

check: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.ready-dev
	$(BIN)/python -m tests.benchmarks

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# uv installs the core in seconds where pip takes minutes; it lives in the environment it fills.
$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.ready-core: pyproject.toml constraints.txt | $(BIN)/uv
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable .
	touch $@

$(VENV)/.ready-dev: pyproject.toml constraints.txt | $(BIN)/uv
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable ".[dev]"
	touch $@ $(VENV)/.ready-core

# Freeze what is installed now as the versions every machine gets.
lock: $(VENV)/.ready-dev
	$(UV) pip freeze --python $(BIN)/python --exclude-editable | grep -v '^uv==' > constraints.txt

clean:
	rm -rf $(VENV) out build dist *.egg-info
