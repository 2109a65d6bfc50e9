.POSIX:

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8501
ADDRESS ?= 127.0.0.1
# Test processes side by side; the browser tests take most of the time.
JOBS ?= 2
# More words for pytest (make suite ARGS="-k flash"), for pip, and the pages to photograph.
ARGS =
PIP_ARGS =
PAGES =
SLUG =

PY = $(VENV)/bin/python
# Checks and runs the browser's code; it may fetch nothing.
DENO = DENO_NO_UPDATE_CHECK=1 $(PY) -m deno
OFFLINE = --no-remote --no-npm
AS_ROOT = $$([ "$$(id -u)" -eq 0 ] || echo sudo)

.PHONY: help run dev test test-all lint suite unit scripts lesson lowest bench load shots gpu browser clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.app ## install what is missing, start the app, print its address
	$(PY) -m streamlit run app.py --server.address $(ADDRESS) --server.port $(PORT)

dev: $(VENV)/.app ## the same, and the page offers a rerun whenever a file has changed
	$(PY) -m streamlit run app.py --server.address $(ADDRESS) --server.port $(PORT) --server.fileWatcherType auto

test: lint suite ## everything: lint, types, import rules, doctests, unit, property and browser tests

test-all: lint ## make test over many more draws, pairs, pages and sizes: about half an hour
	THOROUGH=1 $(MAKE) suite

lint: $(VENV)/.dev ## ruff, mypy, the import rules; types and lint of the browser's code
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo
	$(DENO) lint
	$(DENO) fmt --check
	$(DENO) check $(OFFLINE) assets tests/assets

suite: $(VENV)/.dev browser scripts ## all of pytest, the browser tests too
	$(PY) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

unit: $(VENV)/.dev scripts ## pytest without a browser
	$(PY) -m pytest -m "not browser and not gpu" $(ARGS)

scripts: $(VENV)/.dev ## deno test: the pure parts of the browser's code
	$(DENO) test $(OFFLINE)

lesson: $(VENV)/.dev ## the skeleton of a lesson: make lesson SLUG=ring_buffer
	$(PY) -m lessons.new $(SLUG)

lowest: ## all of pytest against exactly the lower bounds of requirements.txt, in .venv-lowest
	@mkdir -p build
	sed -n 's/^\([a-z0-9-]*\)>=\([^,]*\),.*/\1==\2/p' requirements.txt > build/lowest.txt
	$(MAKE) suite VENV=.venv-lowest PIP_ARGS="-c build/lowest.txt"

bench: $(VENV)/.dev browser ## time every lesson, the player and the engine, print the figures
	$(PY) -m tests.bench

load: $(VENV)/.dev browser ## many readers at once, on this machine only
	$(PY) -m tests.bench.load

shots: $(VENV)/.dev browser ## every page in both languages, light and dark, three widths, into build/shots
	$(PY) -m tests.pages.shots $(PAGES)

gpu: $(VENV)/.app ## add PyTorch for the page that measures
	$(PY) -m pip install $(PIP_ARGS) -r requirements-gpu.txt

clean: ## remove what the other targets made
	rm -rf $(VENV) .venv-lowest build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: an install is done once, and again when a file that it reads has changed.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "This app needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) -V 2>&1 || echo missing)." >&2; \
	  echo "Name a newer one, for instance: make run PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  package=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	  echo "$(PYTHON) comes without its venv module; trying to install $$package." >&2; \
	  { command -v apt-get >/dev/null && $(AS_ROOT) apt-get update && $(AS_ROOT) apt-get install -y $$package; } || { \
	    echo "Install it (Debian, Ubuntu: apt-get install $$package), then run make again." >&2; exit 1; }; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.app: $(VENV)/.made requirements.txt
	$(PY) -m pip install $(PIP_ARGS) -r requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.made requirements.txt requirements-dev.txt
	$(PY) -m pip install -q $(PIP_ARGS) -r requirements-dev.txt
	@touch $@

# The browser of the tests: one that is there, else Debian's, else Playwright's own.
browser: $(VENV)/.dev
	@if $(PY) -m tests.pages.harness; then exit 0; fi; \
	if command -v apt-get >/dev/null && $(AS_ROOT) apt-get update \
	   && $(AS_ROOT) apt-get install -y chromium fonts-noto-cjk \
	   && { $(AS_ROOT) apt-get install -y chromium-headless-shell || true; } && $(PY) -m tests.pages.harness; then exit 0; fi; \
	$(PY) -m playwright install chromium
