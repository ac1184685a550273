# `make demo` and `make test` set up everything they need. `make` alone lists the commands.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CACHE := $(or $(KAFKA_TOPOLOGY_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kafka-topology)
PACKAGES := topology validators provider spark_checks src action

# The packages are linked file by file, so a file that is added or removed needs new links.
FILES := $(shell find $(PACKAGES) \( -name __pycache__ -o -name java \) -prune -o -type f ! -path '*.egg-info/*' ! -name '*.jar' -print | LC_ALL=C sort | cksum | cut -d' ' -f1)
LINKED := $(VENV)/.linked-$(FILES)

# The compiled engine of the record checks.
JAR := spark_checks/kafka-topology-scan.jar
JAVA := $(shell find spark_checks/java -name '*.java')

export KAFKA_TOPOLOGY_CACHE := $(CACHE)
export PATH := $(abspath $(BIN)):$(PATH):$(CACHE)/pulumi-3.259.0/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo down test unit integration check format generate browser screenshots catalogue sdk requirements clean

help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(LINKED) $(JAR) $(VENV)/.tools browser ## Virtual environment, jars, Pulumi and Chromium; only what is missing.

demo: $(LINKED) $(JAR) $(VENV)/.tools ## The whole path on a local Kafka: validate, pulumi up, records, Spark check.
	@$(BIN)/python tools/demo.py

down: ## Stop what `make demo` started.
	@if [ -x $(BIN)/kafka-topology ]; then $(BIN)/kafka-topology local stop --data .demo/kafka; fi

test: unit integration ## All tests: pure ones, then real brokers, the real Pulumi engine and real Spark.

unit: $(LINKED) ## Tests of pure logic.
	$(BIN)/pytest tests/unit

integration: setup ## Tests on real brokers, the real engine and real Spark.
	$(BIN)/pytest tests/integration

check: $(LINKED) ## Lint, format, types, architecture, generated files.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/rule_docs.py --check
	$(BIN)/python tools/docs.py --check
	$(BIN)/python tools/sdk.py --check

format: $(LINKED) ## Mend what the linters can mend.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(LINKED) ## Write the generated documents anew.
	$(BIN)/python tools/rule_docs.py
	$(BIN)/python tools/docs.py

browser: # What the report page is tested in; quick when it is there.
	@tools/install-chromium >/dev/null

screenshots: $(LINKED) browser ## Take the pictures in docs/images anew, of what `make demo` found.
	$(BIN)/python tools/screenshots.py

catalogue: $(LINKED) ## Read Kafka's settings from its jars anew.
	$(BIN)/python tools/catalogue/generate.py

sdk: $(LINKED) ## Write the typed SDKs anew: Python's in src, Node.js's and Go's in build/sdk.
	$(BIN)/python tools/sdk.py

requirements: ## Pin the dependencies anew, with hashes.
	$(BIN)/pip-compile $(COMPILE) --allow-unsafe --constraint requirements/pins.txt --extra spark --extra spark-connect --extra dev \
		--output-file requirements/dev.txt pyproject.toml
	$(BIN)/pip-compile $(COMPILE) --constraint requirements/dev.txt \
		--output-file requirements/run.txt pyproject.toml

COMPILE := --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --strip-extras

clean: down ## Remove the virtual environment and what was built; the cache stays.
	rm -rf $(VENV) $(JAR) build dist .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.requirements: requirements/dev.txt
	@tools/check-prerequisites $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the pinned Python packages"
	@$(BIN)/pip install --disable-pip-version-check --require-hashes --requirement requirements/dev.txt \
		--progress-bar on | awk '!/^(Requirement already|  *Using cached)/ { print; fflush() }'
	@touch $@

$(LINKED): $(VENV)/.requirements pyproject.toml
	@rm -f $(VENV)/.linked-*
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation \
		--editable . --config-settings editable_mode=strict
	@touch $@

$(JAR): $(JAVA) tools/build-jar requirements/dev.txt | $(VENV)/.tools
	@echo "compiling the scan of the record checks"
	@tools/build-jar $(BIN)/python

$(VENV)/.tools: $(LINKED) tools/install-pulumi tools/pulumi/go.mod $(wildcard tools/pulumi-language-python/*)
	@$(BIN)/python -m kafka_topology.toolchain kafka spark
	@tools/install-pulumi $(CACHE) >/dev/null
	@touch $@
