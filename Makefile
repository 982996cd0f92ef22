# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint check docs gpu format clean

demo: $(READY)
	$(BIN)/python examples/demo.py

# In the order of their names: by number of tests, the longest file, which has few, would be left for the end.
test: $(READY)
	OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

# The pages of docs/, with the API, the models and every command's help: docs/_build/index.html. Warnings are errors.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build

# On a machine with CUDA, torch, triton and torch_geometric; no environment of its own is made.
gpu:
	PYTHONPATH=src $(PYTHON) -m pytest tests/kernels tests/krylov tests/models/test_recording.py \
		tests/train/test_population.py tests/train/test_crowd.py tests/train/test_recording.py tests/train/test_determinism.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist docs/_build docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
