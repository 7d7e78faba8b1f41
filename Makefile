# Every target sets up what it needs, and is quick the second time: the stamps in .venv remember what is done.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv
CPP := $(wildcard src/paravent/kernels/cpp/*)
SANITIZED := build/sanitize
STEP := @tools/step
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# A slow registry is waited for, and no more compilers run at once than the memory holds.
export UV_HTTP_TIMEOUT ?= 300
export PIP_DEFAULT_TIMEOUT ?= 120
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell tools/jobs)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.created: requirements/uv.txt tools/system-packages
	@PYTHON=$(PYTHON) tools/system-packages build
	$(STEP) $@ "Making the environment $(VENV)" bash -ec '$(BIN)/python -m pip --version || $(PYTHON) -m venv --clear $(VENV); \
		$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements/uv.txt'

$(VENV)/.requirements: requirements/test.txt $(VENV)/.created
	$(STEP) $@ "Fetching the packages of requirements/test.txt" env $(UV) pip install --require-hashes -r requirements/test.txt

# The build tools are in .venv already, so the build needs no isolation and CMake compiles only what changed.
$(VENV)/.package: pyproject.toml experiments/pyproject.toml CMakeLists.txt $(CPP) $(VENV)/.requirements
	$(STEP) $@ "Compiling the kernels (a minute or two the first time)" \
		env $(UV) pip install --no-deps --no-build-isolation --editable . --editable ./experiments

.PHONY: venv
venv: $(VENV)/.package ## the package and its test tools in .venv

.PHONY: run
run: venv ## anonymize the bundled table end to end (paravent demo)
	$(BIN)/paravent demo
	@printf '\nTo go on: source %s/activate, or write %s/paravent for paravent.\n' $(BIN) $(BIN)

.PHONY: serve
serve: venv ## the web page, on this machine alone (paravent serve)
	$(BIN)/paravent serve

.PHONY: test
test: venv lint sanitize ## every check: lint, formats, types, kernels under sanitizers, tests of fixed examples
	@tools/system-packages test
	@tools/system-packages spark
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n auto --dist loadfile

# The same properties with the examples of a seed. What this finds becomes a fixed example.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
TIMES ?= 10
TESTS ?= tests
.PHONY: explore
explore: venv ## the same properties with fresh examples, ten times as many, and the long fuzz (SEED=, TIMES=, TESTS=)
	@echo "Exploring with seed $(SEED); 'make explore SEED=$(SEED) TIMES=$(TIMES)' draws the same examples again"
	PARAVENT_EXPLORE=$(SEED) PARAVENT_TIMES=$(TIMES) PYTHONHASHSEED=$(SEED) \
		$(BIN)/python -m pytest -n auto --dist loadfile --hypothesis-seed=$(SEED) $(TESTS)

.PHONY: mutate
mutate: venv ## do the tests notice a wrong line? 320 changes drawn by a seed, survivors listed (COUNT=, SEED=; half an hour)
	$(BIN)/python -m tools.mutation --count $(or $(COUNT),320) --seed $(if $(filter command line,$(origin SEED)),$(SEED),1)

.PHONY: audit
audit: venv ## do answers tell more than their price? every private mechanism on neighbouring tables (RUNS=; an hour)
	$(BIN)/python -m tools.audit --runs $(or $(RUNS),100000)

.PHONY: lint
lint: venv ## ruff (rules and format), mypy, clang-format
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	@! LC_ALL=C.UTF-8 grep --with-filename --line-number --extended-regexp '^.{121}' $(CPP) || { echo "These lines are longer than 120 characters."; exit 1; }

.PHONY: format
format: venv ## let ruff and clang-format mend what they can
	$(BIN)/python -m tools.stubs
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

$(SANITIZED)/build.ninja: CMakeLists.txt $(VENV)/.requirements
	$(STEP) $@ "Preparing the kernels with sanitizers" \
		$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DPARAVENT_SANITIZE=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
		-Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)"

# libstdc++ is loaded early too, or the sanitizer would not find the way of C++ exceptions.
.PHONY: sanitize
sanitize: venv $(SANITIZED)/build.ninja ## the kernel tests with the address and undefined-behaviour sanitizers
	@tools/system-packages sanitize
	$(STEP) - "Compiling the kernels with sanitizers (a minute or two the first time)" $(BIN)/cmake --build $(SANITIZED)
	@echo "Testing the kernels under the sanitizers"
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		PARAVENT_NATIVE="$$(echo $(CURDIR)/$(SANITIZED)/_native.*.so)" \
		$(BIN)/python -m pytest -p no:cacheprovider tests/kernels

.PHONY: bench
bench: venv ## the measured comparisons of benchmarks/
	for name in $$(grep --files-with-matches '^def main' benchmarks/*.py); do $(BIN)/python -m benchmarks.$$(basename $$name .py); done

.PHONY: readme
readme: venv ## the methods table of README.md, measured anew
	$(BIN)/python -m benchmarks.methods --readme

.PHONY: dist
dist: venv ## source archive and wheel, then the demo from the wheel in a fresh environment
	rm -rf dist build/wheelhouse
	$(BIN)/python -m build --no-isolation --outdir dist . | tail -n 1
	$(BIN)/python -m venv build/wheelhouse
	$(UV) pip install --quiet --python build/wheelhouse/bin/python dist/paravent-*.whl
	cd build/wheelhouse && env -u VIRTUAL_ENV bin/paravent demo --out demo
	@ls -l dist

.PHONY: pins
pins: $(VENV)/.created ## compile the hashed requirement files anew
	echo uv | $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate - --output-file requirements/uv.txt
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate --all-extras --group test pyproject.toml --output-file requirements/test.txt
	echo pycanon | $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate - --output-file requirements/peers.txt

.PHONY: clean
clean: ## remove whatever make made
	rm -rf $(VENV) .venv-peers .venv.lock .venv-peers.lock build dist paravent-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
