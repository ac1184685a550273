"""Where rules must stay silent: what Kafka does in these cases is fine, or the file does not say enough to judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.validators import validate

TOPIC = "partitions: 6, replication: 3"

SILENT = {
    "KT104, when the brokers are not declared": ("KT104", f"topics:\n  a: {{{TOPIC}}}\n"),
    "KT101, on a single replica, of which KT103 speaks": (
        "KT101",
        "topics:\n  a: {partitions: 1, replication: 1, config: {min.insync.replicas: 1}}\n",
    ),
    "KT102, when records may be lost": (
        "KT102",
        f"topics:\n  a: {{{TOPIC}}}\nproducers:\n  p: {{topics: [a], delivery: at-most-once}}\n",
    ),
    "KT201, without a declared limit of a partition": (
        "KT201",
        f"topics:\n  a: {{{TOPIC}, throughput: {{peak: 900MB/s}}}}\n",
    ),
    "KT206, on one partition, where every key is in the same": (
        "KT206",
        (
            "topics:\n  a: {partitions: 1, replication: 3, key: {type: uuid}}\n"
            "producers:\n  p: {topics: [a]}\n  q: {topics: [a], partitioner: sarama-hash}\n"
        ),
    ),
    "KT206, when the application places keys by the topic's table": (
        "KT206",
        (
            "topics:\n  a: {partitions: 2, replication: 3, key: {type: string, partitioner: {list: {x: 0, y: 1}}}}\n"
            "producers:\n  p: {topics: [a], partitioner: explicit}\n"
        ),
    ),
    "KT206, when partitioner.class wins over partitioner.ignore.keys": (
        "KT206",
        (
            f"topics:\n  a: {{{TOPIC}, key: {{type: uuid}}}}\nproducers:\n  p:\n    topics: [a]\n    config:\n"
            "      partitioner.ignore.keys: true\n"
            "      partitioner.class: org.apache.kafka.clients.producer.internals.DefaultPartitioner\n"
        ),
    ),
    "KT207, for a topic that another team owns": (
        "KT207",
        f'ownership: {{topics: ["a"]}}\ntopics:\n  a: {{{TOPIC}, copartitionedWith: [b]}}\n',
    ),
    "KT213, for text, which has no schema": (
        "KT213",
        f"topics:\n  a: {{{TOPIC}, visibility: public, value: {{format: string}}}}\n",
    ),
    "KT217, with open ends in any order": (
        "KT217",
        (
            "topics:\n  a: {partitions: 2, replication: 3, key: {type: long, partitioner: {range: ["
            '{partition: 1, from: "1000"}, {partition: 0, to: "1000"}]}}}\n'
        ),
    ),
    "KT303, on a compacted topic": (
        "KT303",
        f"topics:\n  a: {{{TOPIC}, retention: 1d, config: {{cleanup.policy: compact}}}}\n",
    ),
    "KT305, when kept by size": (
        "KT305",
        f"topics:\n  a: {{{TOPIC}, config: {{retention.ms: -1, retention.bytes: 1GiB}}}}\n",
    ),
    "KT306, on a compacted topic, which loses no key": (
        "KT306",
        (
            f"topics:\n  a: {{{TOPIC}, config: {{cleanup.policy: compact, retention.ms: 1h}}}}\n"
            "consumerGroups:\n  g: {topics: [a], maxOutage: 3d}\n"
        ),
    ),
    "KT307, when for ever is what compaction does": (
        "KT307",
        f"topics:\n  a: {{{TOPIC}, retention: forever, config: {{cleanup.policy: compact}}}}\n",
    ),
    "KT308, when the topic has no tombstones": (
        "KT308",
        (
            f"topics:\n  a: {{{TOPIC}, key: {{type: uuid, nulls: forbidden}}, config: {{cleanup.policy: compact}}}}\n"
            "consumerGroups:\n  g: {topics: [a], maxOutage: 3d}\n"
        ),
    ),
    "KT309, by the 12 bytes in which Kafka's defaults differ": (
        "KT309",
        (
            f'cluster: {{kafka: "4.1", defaults: {{replica.fetch.max.bytes: 1MiB}}}}\n'
            f"topics:\n  a: {{{TOPIC}, config: {{segment.bytes: 1MiB}}}}\n"
        ),
    ),
    "KT312, when a broker's disk is not declared": (
        "KT312",
        (
            f"cluster: {{brokers: [{{id: 1, disk: 1GiB}}, {{id: 2}}]}}\n"
            f"topics:\n  a: {{{TOPIC}, throughput: {{peak: 900MB/s}}}}\n"
        ),
    ),
    "KT312, when tiered storage keeps little on the brokers": (
        "KT312",
        (
            f"cluster: {{brokers: 3, disk: 500GiB}}\n"
            f"topics:\n  a: {{{TOPIC}, throughput: {{average: 10MB/s}}, retention: 30d, "
            "config: {remote.storage.enable: true, local.retention.ms: 1h}}\n"
        ),
    ),
    "KT316, when tiered storage is being turned off": (
        "KT316",
        f"topics:\n  a: {{{TOPIC}, config: {{remote.storage.enable: false, remote.log.delete.on.disable: true}}}}\n",
    ),
    "KT703, when only some brokers have a rack": (
        "KT703",
        f"cluster: {{brokers: [{{id: 1, rack: a}}, {{id: 2}}, {{id: 3}}]}}\ntopics:\n  a: {{{TOPIC}}}\n",
    ),
    "KT707, when nothing is said about the cluster": ("KT707", f"topics:\n  a: {{{TOPIC}}}\n"),
}


@pytest.mark.parametrize(("rule", "text"), SILENT.values(), ids=SILENT.keys())
def test_silent(rule: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\n" + text)
    loaded = load(file)
    assert loaded.topology is not None, loaded.problems
    assert [f.message for f in validate(loaded.topology) if f.id == rule] == []


def test_an_inherited_value_names_who_set_it_and_who_suffers(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\nprofiles:\n  event: {replication: 1}\ntopics:\n  a: {profile: event, partitions: 6}\n")
    loaded = load(file)
    assert loaded.topology is not None
    [finding] = [f for f in validate(loaded.topology) if f.id == "KT103"]
    assert finding.message.endswith("(set by profile event)")
    assert [(r.location.line, r.message) for r in finding.related] == [(5, "a inherits it")]
    assert finding.edits == ()
