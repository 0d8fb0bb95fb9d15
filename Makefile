# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCHMARKS := dynamics inverse reroot integrators gradients reaching constraints muscles hill opensim networks viewer deformables

.PHONY: run test test-all test-plain lint bench bench-cold clean

run: $(VENV)/run.done
	$(BIN)/myomass run ten-link-chain --plot

test: $(VENV)/test.done lint
	$(BIN)/python -m pytest
	$(MAKE) --no-print-directory test-plain

test-plain: $(VENV)/test.done  # the fast part again, with every kernel as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m fast

test-all: $(VENV)/test.done lint
	$(BIN)/python -m pytest -m "slow or not slow"
	$(MAKE) --no-print-directory test-plain

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(VENV)/test.done
	set -e; for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py; done

bench-cold: $(VENV)/test.done  # what compilation takes from an empty cache: minutes
	$(BIN)/python benchmarks/cold_start.py

$(VENV)/run.done: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[plot]"
	@touch $@

$(VENV)/test.done: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[test]"
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) build dist *.egg-info
