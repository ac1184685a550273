"""Which modules a command imports. Seconds depend on the machine: benchmarks/cold_start.py measures them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MINIMAL = "examples/minimal"
CHANGE = ("examples/change/before.yaml", "examples/change/after.yaml")

# What no look at files needs: clients, engines, the plugin, the code that looks at a cluster, and the page.
LIVE = (
    "asyncio",
    "confluent_kafka",
    "grpc",
    "jsonschema",
    "kafka",
    "pulumi",
    "pyspark",
    "ssl",
    "kafka_topology.audit.subjects.",
    "kafka_topology.cluster",
    "kafka_topology.preflight.steps.",
    "kafka_topology.provider",
    "kafka_topology.report.page",
    "kafka_topology.spark_checks",
    "kafka_topology.topology.language.schema",
)
NO_RULES = ("kafka_topology.validators", "rich", "xml")
NO_REVIEW = ("kafka_topology.review", "kafka_topology.fixing.fixes", "kafka_topology.graph")
# Modules of the product beside those of rules, with a little room to grow.
MOST_OF_A_VALIDATION = 185


def imported(*command: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n'.join(['modules', *sorted(sys.modules)]), file=sys.stderr))\n"
        f"sys.argv = ['kafka-topology', *{command!r}]\n"
        "from kafka_topology.cli.entry import main\n"
        "main()\n"
    )
    environment = {**os.environ, "KAFKA_TOPOLOGY_DEBUG": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stderr.split("\nmodules\n")[-1].removeprefix("modules\n").split())


def unwanted(modules: set[str], *names: str) -> set[str]:
    """Those with one of the names and what they hold; a name that ends with a dot means only what it holds."""
    return {
        module
        for module in modules
        for name in names
        if module == name or module.startswith(f"{name.removesuffix('.')}.")
    }


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (("validate", MINIMAL), (*NO_REVIEW, "xml")),
        (("fmt", "--check", MINIMAL), (*NO_REVIEW, *NO_RULES)),
        (("show", MINIMAL), (*NO_REVIEW, *NO_RULES)),
        (("explain", "KT101"), (*NO_REVIEW, "rich", "xml", "yaml")),
        (("rules",), (*NO_REVIEW, "xml")),
        (("diff", *CHANGE), ("kafka_topology.fixing.fixes", "xml")),
    ],
    ids=lambda value: value[0] if value and value[0] in ("validate", "fmt", "show", "explain", "rules", "diff") else "",
)
def test_a_command_imports_nothing_that_it_does_not_use(command: tuple[str, ...], more: tuple[str, ...]) -> None:
    modules = imported(*command)
    assert "kafka_topology.cli.main" in modules
    assert unwanted(modules, *LIVE, *more) == set()


def test_findings_that_can_be_fixed_need_no_review(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\ntopics:\n  a: {partitions: 1, replication: 3, config: {min.insync.replicas: 3}}\n")
    modules = imported("validate", str(file))
    assert "kafka_topology.fixing.vain" in modules  # a finding has an edit
    assert unwanted(modules, *LIVE, *NO_REVIEW) == set()


def test_a_validation_takes_few_modules() -> None:
    ours = {module for module in imported("validate", MINIMAL) if module.startswith("kafka_topology")}
    assert len({module for module in ours if ".validators.rules" not in module}) <= MOST_OF_A_VALIDATION
