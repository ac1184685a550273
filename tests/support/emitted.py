"""Every client configuration that the examples, the rule pages and the repository's own topology lead to."""

from __future__ import annotations

from pathlib import Path

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.validators.engine.registry import builtin_rules

ROOT = Path(__file__).parents[2]


def emitted(folder):
    """Where each comes from, and the client. Pages of rules are written into the folder.

    Only what the pages of rules about unreadable files show as bad may be unreadable.
    """
    for source, path, environment, is_unreadable in _files(folder):
        loaded = load(path, environment)
        assert loaded.topology is not None or is_unreadable, (source, loaded.problems)
        for client in () if loaded.topology is None else client_settings(loaded.topology):
            yield f"{source}: {client.title}", client


def _files(folder):
    for path in sorted((ROOT / "examples").glob("*/*.yaml")):
        if path.name != "Pulumi.yaml":
            yield str(path.relative_to(ROOT)), path, None, False
    for environment in (None, "dev", "staging", "prod"):
        yield f"topology for {environment}", ROOT / "topology", environment, False
    for path in sorted((ROOT / "tests" / "data" / "corpus").glob("*.yaml")):
        yield path.name, path, None, False
    file = folder / "topology.yaml"
    for rule in builtin_rules():
        examples = [(text, {}, False) for text in rule.good]
        examples += [(bad.yaml, bad.more_files, rule.found_by == "loader") for bad in rule.bad]
        for number, (text, more_files, is_unreadable) in enumerate(examples, 1):
            for name, content in {"order.schema.json": "{}", **more_files}.items():
                (folder / name).write_text(content)
            file.write_text(text)
            yield f"{rule.id}, example {number}", file, None, is_unreadable
