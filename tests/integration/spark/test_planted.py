"""Faults of every kind at known places, in transactions with aborted records between: found exactly, nothing else."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from elsewhere import report_of
from spark_places import ConnectServer, standalone_cluster

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.planning.check import NotChecked
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology import load
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka_topology.topology.model.declared import Topology

HOUR = 3_600_000
NOW = int(time.time()) * 1000
GROWN = NOW - HOUR
BEGAN = NOW - HOUR // 2
KEY = "key: {type: string, nulls: allowed}"
TOPOLOGY = f"""\
version: 1
cluster: {{kafka: "4.1"}}
profiles:
  any: {{replication: 1, partitions: 4}}
topics:
  planted.sequence: {{profile: any, ordering: per-key, {KEY}, value: {{format: json, sequence: meta.n}}}}
  planted.times: {{profile: any, ordering: per-key, {KEY}, value: {{format: json, timestamp: at}}}}
  planted.bare: {{profile: any, ordering: per-key, {KEY}}}
  planted.total: {{profile: any, partitions: 1, ordering: total, value: {{format: json, sequence: n}}}}
  planted.clock: {{profile: any, config: {{message.timestamp.type: CreateTime}}}}
  planted.type: {{profile: any, config: {{message.timestamp.type: LogAppendTime}}}}
  planted.table: {{profile: any, {KEY}, config: {{cleanup.policy: compact, max.compaction.lag.ms: 1h}}}}
  planted.once: {{profile: any, {KEY}}}
  planted.often: {{profile: any, {KEY}}}
  planted.explicit: {{profile: any, key: {{type: string, nulls: allowed, partitioner: explicit}}}}
  planted.grown:
    profile: any
    key:
      type: string
      history: [{{partitions: 2, until: {datetime.fromtimestamp(GROWN // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}}}]
  planted.hot: {{profile: any, {KEY}}}
  planted.many: {{profile: any, key: {{type: string, distinct: 10}}}}
  planted.few: {{profile: any, partitions: 8, {KEY}}}
  planted.clean:
    profile: any
    ordering: per-key
    key: {{type: string, field: id, distinct: 250, nulls: forbidden}}
    value: {{format: json, sequence: n, timestamp: at}}
    config: {{cleanup.policy: compact}}
producers:
  once: {{topics: [planted.once, planted.clean], delivery: exactly-once, transactionalId: once}}
  often: {{topics: [planted.often], delivery: at-least-once}}
"""
SPLIT = {"planted.explicit": ["k4", "k5"], "planted.grown": ["k3"]}
Place = tuple[int, int]


@dataclass(frozen=True, order=True)
class Record:
    """As the broker has it."""

    partition: int
    offset: int
    key: str | None
    at: int


@dataclass
class Writer:
    """Writes in transactions and keeps where each planted fault lies, by topic, check and fault."""

    producer: Producer
    topology: Topology
    planted: dict[str, dict[str, dict[str, list[Place]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    )
    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    clock: int = BEGAN

    def send(
        self,
        topic: str,
        key: str | None,
        value: Mapping[str, Any] | None = None,
        *faults: tuple[str, str],
        partition: int | None = None,
        at: int | None = None,
    ) -> None:
        """Where its key belongs and a millisecond after the record before, unless told otherwise."""
        self.clock += 1
        if partition is None:
            partition = self.belongs(topic, key) if key is not None else 0

        def delivered(error: object, message: Any) -> None:
            assert error is None
            self.records[topic].append(Record(message.partition(), message.offset(), key, message.timestamp()[1]))
            for check_id, fault in faults:
                self.planted[topic][check_id][fault].append((message.partition(), message.offset()))

        self.producer.produce(
            topic,
            None if value is None else json.dumps(value).encode(),
            None if key is None else key.encode(),
            partition,
            timestamp=self.clock if at is None else at,
            on_delivery=delivered,
        )
        self.producer.poll(0)

    def belongs(self, topic: str, key: str, partitions: int | None = None) -> int:
        count = partitions or self.topology.topics[topic].partitions
        place = HASH_PARTITIONERS["murmur2"].partition(key.encode(), count)
        assert isinstance(place, int)
        return place

    def abort_some(self) -> None:
        """Ends the transaction and lets another one fail, so that there are gaps with records nobody may see."""
        self.producer.commit_transaction(60)
        self.producer.begin_transaction()
        for topic in self.topology.topics:
            for _ in range(3):
                self.producer.produce(topic, b'{"n": 999999999}', b"aborted", 0, timestamp=NOW + 24 * HOUR)
        self.producer.flush(60)
        self.producer.abort_transaction(60)
        self.producer.begin_transaction()


def write_order(to: Writer) -> None:
    back, again = ("order", "meta.n goes back"), ("order", "meta.n repeated")
    for n in range(20):
        for key in range(30):
            to.send("planted.sequence", f"k{key}", {"meta": {"n": n}})
            if (n, key) in {(10, 4), (15, 9)}:
                to.send("planted.sequence", f"k{key}", {"meta": {"n": n - 3}}, back)
                to.send("planted.sequence", f"k{key}", {"meta": {"n": n}, "twice": True}, again)
        if n == 12:
            to.abort_some()
            to.send("planted.sequence", "k1", {"meta": {"n": "twelve"}})  # not judged, as the next one
            to.send("planted.sequence", "k1", {})
            to.send("planted.sequence", "k1", None)  # a tombstone is exempt, and so is a null key
            to.send("planted.sequence", None, {"meta": {"n": 0}})
    for n in range(10):
        at = f"2026-05-0{n // 2 + 1}T12:00:00{'Z' if n % 2 else '+00:00'}"  # each moment twice: no fault
        for key in ("a", "b"):
            to.send("planted.times", key, {"at": at})
    to.send("planted.times", "a", {"at": "2026-05-05T13:59:59+02:00"}, ("order", "at goes back"))
    to.send("planted.times", "b", {"at": "2026-05-05 12:00:00.000001"})
    to.send("planted.times", "b", {"at": "yesterday"})
    for n in range(5):
        to.send("planted.bare", "a", {"n": n})
    to.send("planted.bare", "a", {}, ("order", "timestamp goes back"), at=BEGAN)
    to.send("planted.bare", "b", {}, at=BEGAN)
    for n in (1, 2, 3):
        to.send("planted.total", None, {"n": n})
    to.send("planted.total", "k", {"n": 2}, ("order", "n goes back"))
    to.send("planted.total", None, {"n": 3}, ("order", "n repeated"))
    to.send("planted.total", None, {"n": 4})


def write_times(to: Writer) -> None:
    future = ("timestamps", "in the future")
    for partition in range(4):
        to.send("planted.clock", None, partition=partition)
        to.send("planted.type", None, None, ("timestamps", "not LogAppendTime"), partition=partition)
    to.send("planted.clock", None, partition=1, at=NOW + HOUR)  # the last moment that is tolerated
    to.send("planted.clock", None, None, future, partition=1, at=NOW + HOUR + 1)
    to.send("planted.clock", None, None, future, partition=3, at=NOW + 24 * HOUR)
    to.send("planted.clock", None, partition=3)  # older than the one before, only counted


def write_compacted(to: Writer) -> None:
    overdue = ("compaction", "superseded and not removed in time")
    for key in range(10):
        to.send("planted.table", f"k{key}", {"n": 1}, *([overdue] if key < 3 else []), at=NOW - 4 * HOUR)
    for key in range(3):  # these supersede the first three: the older ones should be gone
        to.send("planted.table", f"k{key}", {"n": 2}, at=NOW - 2 * HOUR)
    to.send("planted.table", "k7", {"n": 2}, at=NOW - HOUR // 60)  # superseded a minute ago: no hurry
    to.send("planted.table", None, {"n": 2})
    for topic, faults in (("planted.once", [("compaction", "duplicate")]), ("planted.often", [])):
        for key in ("a", "b", "c"):
            to.send(topic, key, {"n": 1}, at=NOW - HOUR)
        to.send(topic, "a", {"n": 1}, *faults, at=NOW - HOUR)
        to.send(topic, "b", {"n": 2}, at=NOW - HOUR)  # another value
        to.send(topic, "c", {"n": 1})  # another time
        to.send(topic, "d", None, at=NOW - HOUR)
        to.send(topic, "d", None, *faults, at=NOW - HOUR)


def write_places(to: Writer) -> None:
    misplaced = ("placement", "misplaced")
    for key in range(12):
        to.send("planted.explicit", f"k{key}", partition=key % 3)
    to.send("planted.explicit", "k4", partition=3)
    to.send("planted.explicit", "k5", partition=3)
    for key in range(12):
        name = f"k{key}"
        to.send("planted.grown", name, {}, partition=to.belongs("planted.grown", name, 2), at=GROWN - 1)
        to.send("planted.grown", name, {}, at=GROWN)
    wrong = (to.belongs("planted.grown", "k3") + 1) % 4
    to.send("planted.grown", "k3", {}, misplaced, partition=wrong)
    wrong = (to.belongs("planted.grown", "alone") + 2) % 4
    to.send("planted.grown", "alone", {}, misplaced, partition=wrong)


def write_spread(to: Writer) -> None:
    for n in range(1_300):
        to.send("planted.hot", "hottest" if n % 13 else f"k{n}", {})
        if n % 10 == 0:
            to.send("planted.hot", "warm", {})
    for key in range(21):
        to.send("planted.many", f"k{key}", {})
    for _ in range(400):
        for key in ("a", "b", "d"):
            to.send("planted.few", key, {})
    for n in range(6):
        for key in range(250):
            to.send("planted.clean", f"k{key}", {"id": f"k{key}", "n": n, "at": "2026-01-01"})
        if n == 3:
            to.abort_some()


@pytest.fixture(scope="module")
def written(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Writer:
    path = tmp_path_factory.mktemp("planted") / "topology.yaml"
    path.write_text(TOPOLOGY)
    topology = loaded(path)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    # The topics are as a careless cluster has them: nothing is refused, compacted or deleted.
    config = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)}
    topics = [NewTopic(each.name, each.partitions, 1, config=config) for each in topology.topics.values()]
    for created in admin.create_topics(topics).values():
        created.result(60)
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "transactional.id": "planted",
            "transaction.timeout.ms": 600_000,
            "log_level": 0,
        }
    )
    producer.init_transactions(60)
    producer.begin_transaction()
    writer = Writer(producer, topology)
    for write in (write_order, write_times, write_compacted, write_places, write_spread):
        write(writer)
    producer.commit_transaction(60)
    return writer


def loaded(path: Path) -> Topology:
    topology = load(path).topology
    assert topology is not None
    return topology


PLACES = ["here", "here, pure", "cluster", "connect", "connect, pure"]


@pytest.fixture(scope="module", params=PLACES)
def report(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    bootstrap: str,
    written: Writer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Report:
    """Both engines, wherever Spark runs, find the same."""
    place, _, pure = request.param.partition(", ")
    if place == "here":
        engine = PureEngine(best_hashes(spark)) if pure else None
        options = Options(now_ms=NOW)
        return check(spark, written.topology, bootstrap_servers=bootstrap, engine=engine, options=options)
    where: str | ConnectServer = request.getfixturevalue(place)
    address = where if isinstance(where, str) else where.address
    path, folder = written.topology.root / "topology.yaml", tmp_path_factory.mktemp("report")
    return report_of(path, bootstrap, address, engine=pure or "compiled", now_ms=NOW, folder=folder)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as master:
        yield master


def topic(report: Report, name: str) -> TopicReport:
    return next(each for each in report.topics if each.topic == f"planted.{name}")


def result(report: Report, name: str, check_id: str) -> CheckResult:
    return next(each for each in topic(report, name).results if each.check == check_id)


def places(found: CheckResult) -> tuple[Place, Place] | None:
    if found.first is None or found.last is None:
        return None
    return (found.first.partition, found.first.offset), (found.last.partition, found.last.offset)


def expected(written: Writer) -> dict[tuple[str, str], tuple[dict[str, int], tuple[Place, Place] | None]]:
    """For each topic and check: the faults by number, and where the first and the last one lie."""
    wanted: dict[tuple[str, str], tuple[dict[str, int], tuple[Place, Place] | None]] = {}
    for name, checks in written.planted.items():
        for check_id, faults in checks.items():
            where = sorted(place for found in faults.values() for place in found)
            wanted[name, check_id] = {fault: len(found) for fault, found in faults.items()}, (where[0], where[-1])
    for name, keys in SPLIT.items():
        where = sorted((each.partition, each.offset) for each in written.records[name] if each.key in keys)
        wanted[name, "single-partition"] = {"keys in several partitions": len(keys)}, (where[0], where[-1])
    for name, keys in (("planted.hot", ["hottest"]), ("planted.few", ["a", "b", "d"])):
        full = {written.belongs(name, key) for key in keys}
        where = sorted((each.partition, each.offset) for each in written.records[name] if each.partition in full)
        wanted[name, "skew"] = {"partition too full": len(full)}, (where[0], where[-1])
    wanted["planted.many", "cardinality"] = {"number of keys above key.distinct": 1}, None
    wanted["planted.few", "cardinality"] = {"number of keys below the partitions": 1}, None
    return wanted


def test_exactly_the_planted_faults_are_found(report: Report, written: Writer) -> None:
    found = {
        (each.topic, one.check): (one.faults, places(one))
        for each in report.topics
        for one in each.results
        if one.violations
    }
    assert found == expected(written)
    for each in report.topics:
        assert each.records == len(written.records[each.topic])
        assert each.notes == ()
        for one in each.results:
            if one.violations is not None:
                assert one.violations == sum(one.faults.values())
                assert bool(one.violations) == (one.cause is not None) == (one.fix is not None)


def test_examples_are_where_the_faults_are(report: Report, written: Writer) -> None:
    for each in report.topics:
        for one in each.results:
            for example in one.examples:
                place = (example.position.partition, example.position.offset)
                if one.check == "single-partition":
                    record = next(r for r in written.records[each.topic] if (r.partition, r.offset) == place)
                    assert record.key in SPLIT[each.topic]
                else:
                    assert place in written.planted[each.topic][one.check][example.fault]
            if one.check not in {"skew", "cardinality"} and one.violations:
                shown = [(example.position.partition, example.position.offset) for example in one.examples]
                assert shown == sorted(shown)
                assert shown[0] == places(one)[0]  # type: ignore[index]
    assert {example.key for example in result(report, "sequence", "order").examples} == {"x9"}
    assert [each.partitions for each in result(report, "explicit", "single-partition").examples] == [(1, 3), (2, 3)]


def test_the_report_names_what_could_not_be_judged(report: Report) -> None:
    unjudged = {
        (each.topic.removeprefix("planted."), one.check): one.unjudged
        for each in report.topics
        for one in each.results
        if one.unjudged and one.check == "order"
    }
    assert unjudged == {("sequence", "order"): 2, ("times", "order"): 1}
    bare = result(report, "bare", "order")
    assert bare.status == "bounded"
    assert "declares no `sequence`" in str(bare.reason)
    sequence = result(report, "sequence", "order")
    assert (sequence.status, sequence.exempt, sequence.judged) == ("bounded", 2, 604)
    assert sequence.reason == "2 of 606 records could not be judged: no meta.n"
    assert (sequence.outcome, sequence.too_few_judged) == ("violated", True)


def test_numbers_are_those_of_the_records(report: Report, written: Writer) -> None:
    for each in report.topics:
        name = each.topic.removeprefix("planted.")
        highest: dict[int, int] = {}
        older = 0
        for record in sorted(written.records[each.topic]):
            older += record.at < highest.get(record.partition, 0)
            highest[record.partition] = max(record.at, highest.get(record.partition, 0))
        assert result(report, name, "timestamps").metrics == {"outOfOrder": older}
        for scanned in each.ranges:
            own = [record for record in written.records[each.topic] if record.partition == scanned.pinned.partition]
            assert scanned.records == len(own)
    assert result(report, "clock", "timestamps").metrics["outOfOrder"] == 1
    assert result(report, "table", "compaction").metrics == {
        "duplicates": 0,
        "distinctKeys": 10,
        "superseded": 4,
        "debt": 0.2667,
    }
    assert result(report, "often", "compaction").metrics == {"duplicates": 2}
    assert result(report, "explicit", "single-partition").metrics == {"splitKeys": 2, "distinctKeys": 12}
    assert result(report, "grown", "cardinality").metrics == {"distinctKeys": 13, "distinctKeysAtLeast": 13}
    assert result(report, "hot", "skew").metrics["hotKeyShare"] == round(1200 / 1430, 4)
    assert [(hot.key, hot.records) for hot in sorted(topic(report, "hot").hot_keys, key=lambda hot: -hot.records)] == [
        ("xxxxxxx", 1200),
        ("xxxx", 130),
    ]
    total = topic(report, "total")
    assert [scanned.bytes for scanned in total.ranges] == [6 * len('{"n": 1}') + len("k")]


def test_clean_records_have_nothing(report: Report, written: Writer) -> None:
    clean = topic(report, "clean")
    declared = Subject(written.topology.topics["planted.clean"], 4, {"cleanup.policy": "compact"}, now_ms=NOW)
    asked = [each.id for each in builtin_checks() if not isinstance(each.tests(declared), NotChecked | None)]
    assert asked  # one that this topic declares nothing for is not among them
    checked = {one.check: (one.status, one.violations, one.unjudged) for one in clean.results if not one.reason}
    assert checked == dict.fromkeys(asked, ("exact", 0, 0))
    assert result(report, "clean", "cardinality").metrics == {"distinctKeys": 250, "distinctKeysAtLeast": 250}
    assert result(report, "clean", "compaction").metrics["superseded"] == 1250
    assert clean.hot_keys == ()
