"""Clients, access and changes: cases beyond each rule's own examples, most of them where it must stay silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.access import Grant
from kafka_topology.topology.kafka.authorizer import Allowed, denies
from kafka_topology.validators import validate
from kafka_topology.validators.facts.assignments import listed

T = "{partitions: 6, replication: 3}"
ORDERED = "{partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}"
COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
RANGE = "org.apache.kafka.clients.consumer.RangeAssignor"


def found(folder: Path, rule: str, text: str, before: str | None = None) -> list[str]:
    topologies = []
    for name, body in (("new.yaml", text), ("old.yaml", before)):
        if body is None:
            topologies.append(None)
            continue
        (folder / name).write_text(f"version: 1\n{body}")
        loaded = load(folder / name)
        assert loaded.topology is not None, [problem.message for problem in loaded.problems]
        topologies.append(loaded.topology)
    after, earlier = topologies
    assert after is not None
    findings = validate(after, before=earlier)
    assert [finding.message for finding in findings if "the rule itself failed" in finding.message] == []
    return [finding.message for finding in findings if finding.id == rule]


CASES = [
    ("KT401", f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], config: {{acks: -1}}}}}}\n", 0),
    # Kafka 4 refuses six requests in flight wherever idempotence is not turned off by name, Kafka 3 where it is on.
    (
        "KT403",
        (
            f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], delivery: at-most-once,"
            " config: {acks: 1, max.in.flight.requests.per.connection: 6}}}\n"
        ),
        1,
    ),
    (
        "KT403",
        (
            f'cluster: {{kafka: "3.9"}}\ntopics: {{a: {T}}}\nproducers: {{p: {{topics: [a], delivery: at-most-once,'
            " config: {acks: 1, max.in.flight.requests.per.connection: 6}}}\n"
        ),
        0,
    ),
    # Without retries nothing overtakes anything.
    (
        "KT403",
        (
            f"topics: {{a: {ORDERED}}}\nproducers: {{p: {{topics: [a], delivery: at-most-once,"
            " config: {acks: 1, retries: 0}}}\n"
        ),
        0,
    ),
    # The Java client raises its own default.
    ("KT405", f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], config: {{request.timeout.ms: 5m}}}}}}\n", 0),
    # The default transaction timeout of Kafka Streams is 10 seconds.
    (
        "KT408",
        (
            f"cluster: {{defaults: {{transaction.max.timeout.ms: 30s}}}}\ntopics: {{a: {T}, b: {T}}}\n"
            "streams: {s: {reads: [a], writes: [b], delivery: exactly-once}}\n"
        ),
        0,
    ),
    ("KT412", f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], transactionalId: x-}}, q: {{topics: [a]}}}}\n", 0),
    (
        "KT412",
        (
            f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], transactionalId: s-1}}}}\n"
            "streams: {s: {reads: [a], writes: [a], delivery: exactly-once}}\n"
        ),
        1,
    ),
    ("KT413", f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a]}}}}\n", 0),
    (
        "KT415",
        (
            f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], delivery: exactly-once, transactionalId: p-}}}}\n"
            "streams: {s: {reads: [a], delivery: exactly-once}}\n"
        ),
        0,
    ),
    # What other teams own may have any number of partitions.
    (
        "KT501",
        f"ownership: {{topics: [a]}}\ntopics: {{a: {T}}}\nconsumerGroups: {{g: {{topics: [b], members: 99}}}}\n",
        0,
    ),
    (
        "KT504",
        f"topics: {{a: {T}}}\nconsumerGroups: {{g: {{assign: {{a: [0]}}, config: {{session.timeout.ms: 6s}}}}}}\n",
        0,
    ),
    ("KT509", "topics: {a: {partitions: 1, replication: 3}}\nconsumerGroups: {g: {topics: [a]}}\n", 0),
    (
        "KT509",
        (
            f"topics: {{a: {T}}}\nconsumerGroups:\n  g:\n    topics: [a]\n    config:\n"
            f"      partition.assignment.strategy: [{COOPERATIVE}, {RANGE}]\n"
        ),
        1,
    ),
    (
        "KT515",
        f"topics: {{a: {T}}}\nconsumerGroups: {{g: {{topics: [a], config: {{max.partition.fetch.bytes: 1MB}}}}}}\n",
        0,
    ),
    ("KT519", f"topics: {{a: {T}}}\nconsumerGroups: {{g: {{topics: [a], maxOutage: forever}}}}\n", 1),
    ("KT520", f"topics: {{a: {T}}}\n", 0),
    (
        "KT520",
        f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a]}}}}\nconsumerGroups: {{g: {{topics: [a]}}}}\n",
        0,
    ),
    ("KT601", "topics: {a: {owner: x, partitions: 6, replication: 3}}\nproducers: {p: {topics: [a]}}\n", 0),
    ("KT605", f'topics: {{a: {T}}}\nacls: [{{principal: "User:x", topic: a, operations: [Read, Describe]}}]\n', 0),
    (
        "KT607",
        (
            f"topics: {{a: {T}}}\nproducers: {{p: {{topics: [a], config: {{sasl.oauthbearer.token.endpoint.url: https://x/t,"
            " ssl.truststore.certificates: public}}}\n"
        ),
        0,
    ),
    # The user's own quota goes before the one of all others, and a client's before both.
    (
        "KT610",
        (
            "topics: {a: {partitions: 1, replication: 3, throughput: {peak: 9MB/s}}}\n"
            'producers: {p: {principal: "User:p", topics: [a]}}\n'
            "quotas: [{user: default, producerByteRate: 1MB/s}, {user: p, producerByteRate: 10MB/s}]\n"
        ),
        0,
    ),
    (
        "KT611",
        (
            "topics: {shop.a: {owner: x, visibility: public, partitions: 1, replication: 3}, shop.b: {owner: y,"
            " visibility: public, partitions: 1, replication: 3}}\n"
            'acls: [{principal: "User:x", topic: shop., pattern: prefixed, operations: [Read]}]\n'
        ),
        0,
    ),
]


@pytest.mark.parametrize(("rule", "text", "count"), CASES)
def test_one_version(rule: str, text: str, count: int, tmp_path: Path) -> None:
    assert len(found(tmp_path, rule, text)) == count


CHANGES = [
    ("KT802", "topics: {a: {partitions: 6, replication: 3}}\n", "topics: {a: {partitions: 12, replication: 3}}\n", 0),
    (
        "KT802",
        "topics: {a: {partitions: 6, replication: 3, key: {type: uuid, partitioner: round-robin}}}\n",
        "topics: {a: {partitions: 12, replication: 3, key: {type: uuid, partitioner: round-robin}}}\n",
        0,
    ),
    # To drop the key in the same change does not bring the moved keys back.
    (
        "KT802",
        f"topics: {{a: {ORDERED}}}\n",
        "topics: {a: {partitions: 12, replication: 3}}\n",
        1,
    ),
    ("KT805", f"topics: {{a: {T}}}\n", "topics: {a: {partitions: 6, replication: 3, retention: forever}}\n", 0),
    (
        "KT805",
        "topics: {a: {partitions: 6, replication: 3, retention: forever}}\n",
        "topics: {a: {partitions: 6, replication: 3, retention: 7d}}\n",
        1,
    ),
    (
        "KT807",
        "topics: {a: {partitions: 2, replication: 3, key: {type: string, partitioner: {list: {x: 0}}}}}\n",
        "topics: {a: {partitions: 2, replication: 3, key: {type: string, partitioner: {list: {x: 0, y: 1}}}}}\n",
        0,
    ),
    ("KT807", f"topics: {{a: {T}}}\n", f"topics: {{a: {ORDERED}}}\n", 0),
    # A group under the name of a removed streams application keeps the offsets.
    (
        "KT810",
        f"topics: {{a: {T}}}\nstreams: {{s: {{reads: [a]}}}}\n",
        f"topics: {{a: {T}}}\nconsumerGroups: {{s: {{topics: [a]}}}}\n",
        0,
    ),
    ("KT812", f"topics: {{shop.orders: {T}}}\n", f"topics: {{shop.payments: {T}}}\n", 0),
    ("KT812", f"topics: {{shop.orders: {T}}}\n", "topics: {shop.order: {partitions: 3, replication: 3}}\n", 0),
    (
        "KT808",
        f'topics: {{a: {T}}}\nacls: [{{principal: "User:x", topic: a, operations: [All]}}]\n',
        f'topics: {{a: {T}}}\nacls: [{{principal: "User:x", topic: a, operations: [Read]}}]\n',
        0,
    ),
    (
        "KT809",
        f'topics: {{a: {T}}}\nproducers: {{p: {{principal: "User:x", topics: [a]}}}}\n',
        f'topics: {{b: {T}}}\nproducers: {{p: {{principal: "User:x", topics: [b]}}}}\n',
        0,
    ),
]


@pytest.mark.parametrize(("rule", "before", "after", "count"), CHANGES)
def test_two_versions(rule: str, before: str, after: str, count: int, tmp_path: Path) -> None:
    assert len(found(tmp_path, rule, after, before)) == count


@pytest.mark.parametrize(("ignored", "left"), [("topic", ["group"]), ("group", ["topic"]), (None, ["group", "topic"])])
def test_access_to_a_topic_and_a_group_of_one_name_is_kept_apart(
    ignored: str | None, left: list[str], tmp_path: Path
) -> None:
    marks = {kind: ", ignore: {KT808: the owner agreed}" if kind == ignored else "" for kind in ("topic", "group")}
    topic = f"topics: {{a: {{partitions: 6, replication: 3{marks['topic']}}}}}\n"
    group = f"consumerGroups: {{a: {{topics: [a]%s{marks['group']}}}}}\n"
    (tmp_path / "old.yaml").write_text(f"version: 1\n{topic}{group % ''}")
    (tmp_path / "new.yaml").write_text(f"version: 1\n{topic}{group % ', principal: User:g'}")
    old, new = (load(tmp_path / name).topology for name in ("old.yaml", "new.yaml"))
    assert old is not None
    assert new is not None
    findings = [finding for finding in validate(new, before=old) if finding.id == "KT808"]
    assert sorted(finding.kind for finding in findings) == left
    assert all(f"on {finding.kind} a;" in finding.message for finding in findings)


def test_a_schema_that_changes_under_the_same_name_is_compared(tmp_path: Path) -> None:
    text = "version: 1\ntopics: {a: {partitions: 6, replication: 3, value: {format: json, schema: s.json}}}\n"
    versions = []
    for name, schema in (("old", '{"type": "object"}'), ("new", '{"type": "object", "required": ["id"]}')):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "t.yaml").write_text(text)
        (folder / "s.json").write_text(schema)
        versions.append(load(folder).topology)
    old, new = versions
    assert old is not None
    assert new is not None
    assert [finding.id for finding in validate(new, before=old) if finding.id.startswith("KT8")] == ["KT807"]


def test_an_unchanged_topology_has_no_changes(tmp_path: Path) -> None:
    text = f'version: 1\ntopics: {{a: {ORDERED}}}\nproducers: {{p: {{principal: "User:p", topics: [a]}}}}\n'
    (tmp_path / "t.yaml").write_text(text)
    one, other = load(tmp_path).topology, load(tmp_path).topology
    assert one is not None
    assert [finding.id for finding in validate(one, before=other) if finding.id.startswith("KT8")] == []


def test_no_message_shows_a_secret(tmp_path: Path) -> None:
    text = (
        f"version: 1\ntopics: {{a: {T}}}\nproducers:\n  p:\n    topics: [a]\n    config:\n"
        "      ssl.key.password: hunter2\n      my.api.key: hunter2\n"
        '      sasl.jaas.config: x required password="hunter2";\n'
    )
    (tmp_path / "t.yaml").write_text(text)
    topology = load(tmp_path).topology
    assert topology is not None
    findings = validate(topology)
    assert len([finding for finding in findings if finding.id == "KT607"]) == 3
    assert not any("hunter2" in f"{finding.message} {finding.fix} {finding.edits}" for finding in findings)


def grant(operation: str, name: str = "orders", pattern: str = "literal", principal: str = "User:x") -> Grant:
    return Grant(principal, "topic", name, operation, "prefixed" if pattern == "prefixed" else "literal")


@pytest.mark.parametrize(
    ("allowed", "wanted", "covered"),
    [
        (grant("Read"), grant("Read"), True),
        (grant("Read"), grant("Describe"), True),
        (grant("Describe"), grant("Read"), False),
        (grant("All"), grant("Delete"), True),
        (grant("Read", "ord", "prefixed"), grant("Read"), True),
        (grant("Read", "ord", "prefixed"), grant("Read", "orders.", "prefixed"), True),
        (grant("Read", "orders"), grant("Read", "orders", "prefixed"), False),
        (grant("Read", "*"), grant("Read", "o", "prefixed"), True),
        (grant("Read", principal="User:*"), grant("Read"), True),
        (grant("Read", principal="User:y"), grant("Read"), False),
    ],
)
def test_what_access_covers(allowed: Grant, wanted: Grant, covered: bool) -> None:
    assert Allowed([allowed]).covers(wanted) is covered


def test_a_denial_implies_no_other_operation() -> None:
    assert denies(grant("Write"), grant("Write"))
    assert denies(grant("All", "o", "prefixed"), grant("Read"))
    assert not denies(grant("Describe"), grant("Read"))
    assert not denies(grant("Write", "other"), grant("Write"))


def test_one_broker_is_singular(tmp_path: Path) -> None:
    two, three = (f"topics: {{a: {{partitions: 6, replication: {count}}}}}\n" for count in (2, 3))
    (message,) = found(tmp_path, "KT803", two, three)
    assert "records survive 1 lost broker, not 2" in message


def test_partitions_are_listed_in_runs() -> None:
    assert listed([5, 0, 3, 4, 9]) == "0, 3 to 5, 9"
    assert listed([1, 2]) == "1, 2"


def test_more_partitions_are_advised_if_no_segment_is_large_enough(tmp_path: Path) -> None:
    text = "version: 1\ntopics: {a: {partitions: %s, replication: 3, retention: 7d, throughput: {average: 60MB/s}}}\n"
    (tmp_path / "t.yaml").write_text(text.replace("%s", "6"))
    topology = load(tmp_path).topology
    assert topology is not None
    (fix,) = [finding.fix for finding in validate(topology) if finding.id == "KT311"]
    assert fix.startswith("no segment.bytes is large enough: use at least 17 partitions")
    (tmp_path / "t.yaml").write_text(text.replace("%s", "34"))
    topology = load(tmp_path).topology
    assert topology is not None
    assert [finding.fix for finding in validate(topology) if finding.id == "KT311"] == []


def test_a_prefix_of_an_unknown_principal_names_every_owner_and_invents_none(tmp_path: Path) -> None:
    text = """\
topics:
  shop.orders: {owner: checkout, partitions: 6, replication: 3}
  shop.carts: {owner: web, partitions: 6, replication: 3}
acls:
  - {principal: "User:new", topic: shop., pattern: prefixed, operations: [Read]}
"""
    (message,) = found(tmp_path, "KT611", text)
    assert "including shop.carts of web and shop.orders of checkout; expected only topics of one owner" in message
