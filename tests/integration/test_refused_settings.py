"""Settings of topics that a rule says Kafka refuses: a real broker refuses them, and accepts the rule's good ones."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from kafka_topology.topology import Topology, load
from kafka_topology.validators import builtin_rules

RULES = {rule.id: rule for rule in builtin_rules()}
# Bad examples whose topic Kafka refuses, and words of its answer.
REFUSED = {
    ("KT301", 0): "Unknown topic config name",
    ("KT302", 0): "Invalid value remove",
    ("KT318", 0): "conflict topic config setting min.compaction.lag.ms",
}


def topology_of(folder: Path, text: str) -> Topology:
    file = folder / "topology.yaml"
    file.write_text(text)
    loaded = load(file)
    assert loaded.topology is not None
    return loaded.topology


def create(admin: AdminClient, topology: Topology) -> None:
    """Asks whether the topics could be created; creates none."""
    unique = uuid4().hex[:8]
    topics = [
        NewTopic(f"{unique}.{topic.name}", topic.partitions, 1, config=dict(topic.config))
        for topic in topology.topics.values()
    ]
    for future in admin.create_topics(topics, validate_only=True, request_timeout=60).values():
        future.result(60)


@pytest.mark.parametrize(("rule", "number"), REFUSED)
def test_kafka_refuses_what_the_rule_says_it_refuses(
    rule: str, number: int, admin: AdminClient, tmp_path: Path
) -> None:
    with pytest.raises(KafkaException, match=REFUSED[rule, number]):
        create(admin, topology_of(tmp_path, RULES[rule].bad[number].yaml))


@pytest.mark.parametrize("rule", ["KT318", "KT319", "KT322"])
def test_kafka_accepts_the_good_examples(rule: str, admin: AdminClient, tmp_path: Path) -> None:
    for text in RULES[rule].good:
        create(admin, topology_of(tmp_path, text))
