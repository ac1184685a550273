# `make demo` and `make test` set up everything they need. `make` alone lists the commands.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
VENV := .venv
# Test processes. Each one of the integration tests has its own brokers, about 2 GB.
WORKERS ?= 2
BIN := $(VENV)/bin
CACHE := $(or $(KAFKA_TOPOLOGY_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kafka-topology)
INSTALLED := $(VENV)/.installed

# The compiled engine of the record checks.
JAR := spark_checks/engines/kafka-topology-scan.jar
JAVA := $(shell find spark_checks/engines/java -name '*.java')

# The Pulumi CLI, if it is not on PATH.
PULUMI := tools/install-pulumi tools/pulumi_release.py tools/pulumi/go.mod $(wildcard tools/pulumi-language-python/*)

export KAFKA_TOPOLOGY_CACHE := $(CACHE)
export PATH := $(abspath $(BIN)):$(PATH):$(CACHE)/pulumi-3.259.0/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo down test unit integration share-groups newer older clients lake scale bench keys torture fuzz known-seeds sbom check format generate browser screenshots catalogue sdk wheel requirements clean

help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) $(JAR) $(VENV)/.tools $(VENV)/.pulumi browser ## Install what is missing: virtual environment, jars, Pulumi, Chromium.

demo: $(INSTALLED) $(JAR) $(VENV)/.tools ## Run everything on a local Kafka: validate, pulumi up, records, Spark check.
	@$(BIN)/python tools/demo.py

down: ## Stop what `make demo` started.
	@if [ -x $(BIN)/kafka-topology ]; then $(BIN)/kafka-topology local stop --data .demo/kafka; fi

test: unit known-seeds integration ## All tests: pure ones, the input of known seeds, then real brokers, the real Pulumi engine and real Spark.

unit: $(INSTALLED) ## Unit tests.
	$(BIN)/pytest tests/unit --numprocesses $(WORKERS)

integration: setup ## Tests on real brokers, the real Pulumi engine and real Spark.
	$(BIN)/pytest tests/integration --numprocesses $(WORKERS) --dist loadfile --cache-clear --durations 40 || { test $$? -eq 1 && $(AGAIN); }

# Brokers, Pulumi and Spark share the cores: a file with tests that fail beside others runs once more, alone, and must
# pass then. Whole files, because tests on one cluster may build on each other.
# A test that needs this twice in a row has a fault of its own: the names are in the output.
FAILED = import json; print(*sorted({name.split("::")[0] for name in json.load(open(".pytest_cache/v/cache/lastfailed"))}))
AGAIN = files=$$($(BIN)/python -c '$(FAILED)') && echo "Running once more, alone: $$files" && \
	$(BIN)/pytest $$files --maxfail 5 --verbose

share-groups: setup ## Tests of share groups and streams groups on real brokers. KAFKA=4.2.1 takes another Kafka, which Maven fetches.
	$(if $(KAFKA),KAFKA_TOPOLOGY_KAFKA_VERSION=$(KAFKA)) $(BIN)/pytest tests/integration/provider/test_share_groups.py \
		tests/integration/provider/test_pulumi_share_groups.py tests/integration/provider/test_share_group_example.py \
		tests/integration/provider/test_streams_groups.py

newer: KAFKA := $(or $(KAFKA),4.2.1)
newer: share-groups ## The same tests on a newer Kafka, by default 4.2.1. KAFKA=4.2.0 takes another one.

older: setup ## Tests on brokers without share groups, by default Kafka 3.9.1. KAFKA=3.8.1 takes another one.
	KAFKA_TOPOLOGY_KAFKA_VERSION=$(or $(KAFKA),3.9.1) $(BIN)/pytest tests/integration/provider/test_older_kafka.py \
		tests/integration/provider/test_groups.py tests/integration/provider/test_access.py \
		--deselect tests/integration/provider/test_groups.py::test_life_of_a_group  # settings of groups came with 4.0

clients: $(INSTALLED) $(JAR) $(VENV)/.tools ## Compare the record checks with real clients: Java, librdkafka, Python, Node.js and Go. ARGS=--help
	@PYTHONPATH=tests/clients $(BIN)/python -m client_matrix $(ARGS)

lake: $(INSTALLED) $(JAR) $(VENV)/.tools ## Write violations as Delta and Iceberg tables and read them back. Maven fetches 55 MB once.
	$(BIN)/pytest tests/lake

scale: $(INSTALLED) $(JAR) $(VENV)/.tools ## Measure how the record checks grow, up to 20 million records and 10 million keys. ARGS=--help
	@PYTHONPATH=benchmarks $(BIN)/python -m scale $(ARGS)

bench: $(INSTALLED) $(JAR) $(VENV)/.tools $(VENV)/.pulumi ## Run all benchmarks at full size, for hours; print their goals. ARGS=--quick
	@$(BIN)/python benchmarks $(ARGS)

keys: $(INSTALLED) $(JAR) $(VENV)/.tools ## Place random keys by every hash and compare with librdkafka: a million, or KEYS=5000000.
	KAFKA_TOPOLOGY_RANDOM_KEYS=$(or $(KEYS),1000000) $(BIN)/pytest tests/integration/spark/test_random_keys.py

torture: $(INSTALLED) $(JAR) $(VENV)/.tools $(VENV)/.pulumi ## Break brokers, connections and processes while commands run: SEED=7 MINUTES=60. ARGS=--help
	@PYTHONPATH=tests $(BIN)/python -m torture $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(ARGS)

fuzz: $(INSTALLED) $(JAR) $(VENV)/.tools ## Try random input for some minutes: MINUTES=10 SEED=7 ONLY=loader,provider
	@PYTHONPATH=tests:tests/support $(BIN)/python -m fuzz $(if $(ROUNDS),--rounds $(ROUNDS)) --minutes $(or $(MINUTES),1) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

# A change must not fail because of what chance finds: new seeds are for `make fuzz`.
known-seeds: SEED = 1
known-seeds: ROUNDS = 30
known-seeds: fuzz

check: $(INSTALLED) ## Check style, formatting, types, import contracts and generated files.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/rule_docs.py --check
	$(BIN)/python tools/corpus.py --check
	$(BIN)/python tools/docs.py --check
	$(BIN)/python tools/tutorial.py --check
	$(BIN)/python tools/review_examples.py --check
	$(BIN)/python tools/architecture.py --check
	$(BIN)/python tools/sdk.py --check
	$(BIN)/python tools/catalogue/generate.py --check
	$(BIN)/python tools/librdkafka.py --check
	$(BIN)/python tools/pins.py
	$(BIN)/python tools/supply/generate.py --check

format: $(INSTALLED) ## Fix what ruff can fix, and format.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(INSTALLED) ## Write every generated file that is out of date: documents, JSON Schema, SDK, catalogue.
	$(BIN)/python tools/rule_docs.py
	$(BIN)/python tools/corpus.py
	$(BIN)/python tools/docs.py
	$(BIN)/python tools/tutorial.py
	$(BIN)/python tools/review_examples.py
	$(BIN)/python tools/architecture.py
	$(BIN)/python tools/sdk.py --if-stale
	$(BIN)/python tools/catalogue/generate.py --if-stale
	$(BIN)/python tools/librdkafka.py
	$(BIN)/python tools/supply/generate.py

browser: # The report page is tested in it.
	@tools/install-chromium >/dev/null

screenshots: $(INSTALLED) browser ## Take the pictures in docs/images again, of what `make demo` found.
	$(BIN)/python tools/screenshots.py

catalogue: $(INSTALLED) ## Read Kafka's settings from its jars.
	$(BIN)/python tools/catalogue/generate.py

sdk: $(INSTALLED) ## Write the typed SDKs: Python's in src, Node.js's and Go's in build/sdk.
	$(BIN)/python tools/sdk.py

sbom: $(INSTALLED) ## Write what the product installs and runs, with hashes and licences, as CycloneDX: build/sbom.cdx.json
	@$(BIN)/python tools/supply/generate.py --sbom build/sbom.cdx.json

wheel: $(INSTALLED) $(JAR) ## Build the wheel into dist/, with the compiled scan in it.
	@rm -rf build/lib build/bdist.* dist/kafka_topology-*.whl  # or the wheel keeps deleted files
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist
	@$(BIN)/python -m zipfile --list dist/kafka_topology-*.whl | awk '/$(notdir $(JAR))/ { found = 1 } END { exit !found }' || \
		{ echo "the wheel has no $(notdir $(JAR)): check package-data in pyproject.toml" >&2; exit 1; }

requirements: ## Pin the dependencies, with hashes.
	$(BIN)/pip-compile $(COMPILE) --constraint requirements/pins.txt \
		--extra local --extra pulumi --extra spark --extra spark-connect --extra dev --output-file requirements/dev.txt pyproject.toml
	$(BIN)/pip-compile $(COMPILE) $(UNPINNED) --constraint requirements/dev.txt \
		--output-file requirements/base.txt pyproject.toml
	$(BIN)/pip-compile $(COMPILE) $(UNPINNED) --constraint requirements/dev.txt --extra pulumi \
		--output-file requirements/run.txt pyproject.toml
	@sed -i '/^$$/,$$d' requirements/base.txt requirements/dev.txt requirements/run.txt  # the remark on unpinned packages

COMPILE := --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --strip-extras \
	--unsafe-package kafka-topology  # extras name the package itself: it has no hash
UNPINNED := --unsafe-package pip --unsafe-package setuptools  # every environment has its own

clean: down ## Remove the virtual environment and build results; keep the cache.
	rm -rf $(VENV) $(JAR) build dist .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.requirements: requirements/dev.txt
	@tools/check-prerequisites $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the pinned Python packages"
	@$(BIN)/pip install --disable-pip-version-check --require-hashes --requirement requirements/dev.txt \
		--progress-bar on | awk '!/^(Requirement already|  *Using cached)/ { print; fflush() }'
	@touch $@

$(INSTALLED): $(VENV)/.requirements pyproject.toml
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(JAR): $(JAVA) tools/build-jar requirements/dev.txt | $(VENV)/.tools
	@echo "compiling the scan of the record checks"
	@tools/build-jar $(BIN)/python

# Pulumi may have to be built, which takes minutes: it begins here, and who needs it waits for it.
$(VENV)/.tools: $(INSTALLED) $(PULUMI)
	@tools/install-pulumi --background $(CACHE) $(abspath $(BIN))/python >/dev/null
	@$(BIN)/python -m kafka_topology.toolchain kafka spark
	@touch $@

$(VENV)/.pulumi: $(VENV)/.tools $(PULUMI)
	@tools/install-pulumi $(CACHE) $(abspath $(BIN))/python >/dev/null
	@touch $@
