"""Every client configuration that the examples, the rule pages and the repository's own topology lead to."""

from __future__ import annotations

from pathlib import Path

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.validators.engine.registry import builtin_rules

ROOT = Path(__file__).parents[2]


def emitted(folder):
    """Where each comes from, and the client. Pages of rules are written into the folder."""
    for source, path, environment in _files(folder):
        loaded = load(path, environment)
        if loaded.topology is not None:  # some pages are about files that cannot be read
            for client in client_settings(loaded.topology):
                yield f"{source}: {client.title}", client


def _files(folder):
    for path in sorted((ROOT / "examples").glob("*/*.yaml")):
        if path.name != "Pulumi.yaml":
            yield str(path.relative_to(ROOT)), path, None
    for environment in (None, "dev", "staging", "prod"):
        yield f"topology for {environment}", ROOT / "topology", environment
    for path in sorted((ROOT / "tests" / "data" / "corpus").glob("*.yaml")):
        yield path.name, path, None
    file = folder / "topology.yaml"
    for rule in builtin_rules():
        for number, text in enumerate((*rule.good, *(bad.yaml for bad in rule.bad)), 1):
            file.write_text(text)
            yield f"{rule.id}, example {number}", file, None
