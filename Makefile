# The commands of this repository; CI runs the same ones. `make` alone lists them.
PYTHON ?= python3
BIN := .venv/bin

LLAMA_SERVER ?= llama-server

.PHONY: help setup demo real-model test test-slow extras lint types check docs bench clean

help:    ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile

setup: .venv/ready    ## install the package and what its development needs into .venv

demo: setup    ## revise a text that ships with the repository, against documents that ship with it
	@$(BIN)/rarr revise --file examples/texts/demo.md --corpus examples/corpus

real-model: setup    ## serve the weights of GGUF=FILE by llama.cpp's llama-server, and revise the demo with them
	@test -f '$(GGUF)' || { echo 'Name the weights of a model: make real-model GGUF=FILE.gguf' >&2; exit 2; }
	@command -v '$(LLAMA_SERVER)' >/dev/null \
		|| { echo 'llama-server is needed: install llama.cpp, or name yours, as in LLAMA_SERVER=FILE' >&2; exit 2; }
	@'$(LLAMA_SERVER)' -m '$(GGUF)' --alias served --host 127.0.0.1 --port 8089 -np 4 -c 16384 --jinja >/dev/null 2>&1 & \
		server=$$!; trap "kill $$server" EXIT; \
		until $(BIN)/python -c 'from urllib.request import urlopen; urlopen("http://127.0.0.1:8089/health")' 2>/dev/null; \
		do kill -0 $$server 2>/dev/null || { echo 'llama-server ended: run it by hand to see why' >&2; exit 1; }; sleep 1; done; \
		RARR_TIMEOUT_S=900 $(BIN)/rarr revise --file examples/texts/demo.md --corpus examples/corpus \
		--model vllm:served --base-url http://127.0.0.1:8089/v1

test: setup    ## run the default tests, which take a minute: no network, no key
	@$(BIN)/python -m pytest $(ARGS)

test-slow: extras    ## run the tests that take longer or need an extra, all but the live ones
	@$(BIN)/python -m pytest --slow -m slow $(ARGS)
	@$(BIN)/python -m pytest tests/test_import.py # what is not to be imported is there now

extras: setup .venv/litellm/ready    ## install every extra and LiteLLM's proxy, which takes minutes and two gigabytes
	@$(BIN)/python -m pip install --quiet --quiet torch==2.13.0 # by its version: of another pip may bring gigabytes
	@$(BIN)/python -m pip install --quiet --quiet --editable '.[dev,ray,torch,train]' aiohttp datasets

lint: setup    ## check style and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup    ## check types, strictly
	@$(BIN)/mypy

check: lint types test    ## what CI checks, without the slow tests

docs: .venv/docs    ## build the site of docs/ into site/, which fails at a broken link, without network
	@$(BIN)/zensical build --strict --clean

bench: setup    ## measure on the examples that ship with the repository
	@$(BIN)/python -m benchmarks.examples

clean:    ## remove .venv, caches and builds
	@rm -rf .venv build dist site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The file is a stamp: only a whole installation writes it, and a change of pyproject.toml makes it old.
.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo 'Python 3.11 or later is needed: install it, or name yours, as in make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo 'Python has no venv module: install it (Debian and Ubuntu: apt install python3-venv)' >&2; exit 1; }
	@echo 'Installing into .venv, which takes about a minute'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --quiet --editable '.[dev]'
	@touch $@

# LiteLLM's proxy needs an older rich than this package, so it has an environment of its own. Tests start it as a process.
.venv/litellm/ready: | .venv/ready
	@$(BIN)/python -m venv .venv/litellm
	@.venv/litellm/bin/python -m pip install --quiet --quiet 'litellm[proxy]>=1.108,<2'
	@touch $@

# The site's builder is 100 MB: only who builds the site installs it.
.venv/docs: .venv/ready
	@$(BIN)/python -m pip install --quiet --quiet --editable '.[docs]'
	@touch $@
