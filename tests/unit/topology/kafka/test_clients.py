"""The client settings that follow from what a role promises."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.formats import as_librdkafka, as_properties, in_java
from kafka_topology.topology.kafka.clients.settings import Client, client_settings

HEAD = """\
version: 1
cluster: {kafka: "%s", brokers: 3, racks: [a, b, c]}
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid, partitioner: %s}}
  payments: {partitions: 6, replication: 3}
"""


@pytest.fixture
def client(tmp_path):
    def of(yaml: str, kafka: str = "4.1", partitioner: str = "murmur2", name: str = "x") -> Client:
        file = tmp_path / "topology.yaml"
        file.write_text(HEAD % (kafka, partitioner) + yaml)
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems
        return next(client for client in client_settings(loaded.topology) if client.name == name)

    return of


def values(client: Client) -> dict[str, str]:
    return {item.name: item.value for item in client.properties}


def reason(client: Client, name: str) -> str:
    return next(item.reason for item in client.properties if item.name == name)


def test_at_least_once_acknowledges_by_all_retries_and_is_idempotent(client):
    assert values(client("producers:\n  x: {topics: [orders]}\n")) == {
        "acks": "all",
        "enable.idempotence": "true",
        "max.in.flight.requests.per.connection": "5",
        "retries": "2147483647",
        "delivery.timeout.ms": "120000",
    }


def test_at_most_once_never_retries(client):
    found = values(client("producers:\n  x: {topics: [orders], delivery: at-most-once}\n"))
    assert found == {"acks": "1", "enable.idempotence": "false", "retries": "0"}


def test_exactly_once_has_a_transactional_id_for_each_instance(client):
    found = client("producers:\n  x: {topics: [orders], delivery: exactly-once, transactionalId: pay-}\n")
    assert values(found)["transactional.id"] == "pay-0"
    assert "pay-0, pay-1" in reason(found, "transactional.id")


def test_exactly_once_without_a_transactional_id_says_so(client):
    found = client("producers:\n  x: {topics: [orders], delivery: exactly-once}\n")
    assert "transactional.id" not in values(found)
    assert found.notes[0].startswith("transactional.id: exactly once needs one")


def test_a_declared_setting_that_keeps_the_promise_stays(client):
    found = client(
        "producers:\n  x: {topics: [orders], config: {max.in.flight.requests.per.connection: 1, linger.ms: 5ms}}\n"
    )
    assert values(found)["max.in.flight.requests.per.connection"] == "1"
    assert values(found)["linger.ms"] == "5"
    assert reason(found, "linger.ms") == "declared"


def test_a_declared_setting_that_breaks_the_promise_is_replaced_and_named(client):
    found = client('producers:\n  x: {topics: [orders], config: {acks: "1"}}\n')
    assert values(found)["acks"] == "all"
    assert reason(found, "acks").endswith("the declared 1 breaks this")
    assert {item.name: item.replaced for item in found.properties if item.replaced is not None} == {"acks": "1"}


def test_the_delivery_timeout_leaves_room_for_linger_and_a_request(client):
    found = client("producers:\n  x: {topics: [orders], config: {linger.ms: 1m, request.timeout.ms: 3m}}\n")
    assert values(found)["delivery.timeout.ms"] == "480000"  # one attempt takes four minutes


def test_a_group_commits_itself_and_starts_where_it_says(client):
    found = values(client("consumerGroups:\n  x: {topics: [orders], start: earliest}\n"))
    assert found == {
        "group.id": "x",
        "enable.auto.commit": "false",
        "auto.offset.reset": "earliest",
        "group.protocol": "consumer",
    }


def test_before_kafka_4_and_with_settings_of_the_classic_protocol_rebalances_are_cooperative(client):
    old = client("consumerGroups:\n  x: {topics: [orders]}\n", kafka="3.9")
    classic = client("consumerGroups:\n  x: {topics: [orders], config: {session.timeout.ms: 10s}}\n")
    for found in (values(old), values(classic)):
        assert found["partition.assignment.strategy"].endswith("CooperativeStickyAssignor")
        assert "group.protocol" not in found


def test_whoever_reads_what_is_written_in_transactions_reads_only_what_is_committed(client):
    found = client(
        "producers:\n  p: {topics: [orders], delivery: exactly-once, transactionalId: p}\n"
        "consumerGroups:\n  x: {topics: [orders]}\n"
    )
    assert values(found)["isolation.level"] == "read_committed"
    assert "producer p writes orders in transactions" in reason(found, "isolation.level")


def test_a_group_that_starts_at_a_moment_stops_without_offsets_instead_of_guessing(client):
    found = client("consumerGroups:\n  x: {topics: [orders], start: 2026-03-01T00:00:00Z}\n")
    assert values(found)["auto.offset.reset"] == "none"
    assert as_librdkafka(found)["config"]["auto.offset.reset"] == "error"


def test_static_members_each_have_their_own_id(client):
    found = client("consumerGroups:\n  x: {topics: [orders], instances: [x-0, x-1]}\n")
    assert values(found)["group.instance.id"] == "x-0"
    assert "x-0, x-1" in reason(found, "group.instance.id")


def test_a_standalone_consumer_has_no_membership_and_gets_its_partitions(client):
    found = client("consumerGroups:\n  x: {assign: {orders: [0, 1]}}\n")
    assert "group.protocol" not in values(found)
    assert any(note.endswith("orders 0, 1") for note in found.notes)


def test_a_group_learns_how_to_read_from_the_nearest_replica(client):
    found = client("consumerGroups:\n  x: {topics: [orders]}\n")
    assert any(note.startswith("client.rack: set it") and "(a, b, c)" in note for note in found.notes)
    assert any("the brokers need a replica.selector.class for that" in note for note in found.notes)


def test_a_setting_of_share_groups_makes_no_share_group(client):
    group = "consumerGroups:\n  x: {topics: [orders]%s}\n"
    found = client(group % ", groupConfig: {share.auto.offset.reset: earliest}")
    assert values(found) == values(client(group % ""))


def test_a_consumer_gets_no_setting_of_share_consumers(client):
    found = client("consumerGroups:\n  x: {topics: [orders], config: {share.acknowledgement.mode: explicit}}\n")
    properties, notes = in_java(found)
    assert "share.acknowledgement.mode" not in {item.name for item in properties}
    assert any(note.startswith("share.acknowledgement.mode=explicit: left out") for note in notes)


def test_a_streams_application_gets_its_guarantee(client):
    once = client("streams:\n  x: {reads: [orders], delivery: exactly-once}\n")
    assert values(once) == {"application.id": "x", "processing.guarantee": "exactly_once_v2"}
    often = client("streams:\n  x: {reads: [orders]}\n")
    assert values(often)["processing.guarantee"] == "at_least_once"


@pytest.mark.parametrize("delivery", ["at-least-once", "exactly-once"])
@pytest.mark.parametrize("name", ["acks", "producer.acks"])
def test_a_streams_application_that_writes_only_its_state_waits_for_all_replicas(client, delivery, name):
    found = client(f"streams:\n  x: {{reads: [orders], delivery: {delivery}, config: {{{name}: 1}}}}\n")
    assert values(found)[name] == "all"
    assert reason(found, name).endswith("the declared 1 breaks this")


def test_a_guarantee_above_the_delivery_has_the_reason_of_the_guarantee(client):
    found = client("streams:\n  x: {reads: [orders], config: {processing.guarantee: exactly_once_v2}}\n")
    assert values(found)["processing.guarantee"] == "exactly_once_v2"
    assert reason(found, "processing.guarantee").startswith("exactly once: transactions")


@pytest.mark.parametrize(
    ("config", "name", "printed"),
    [
        ("max.in.flight.requests.per.connection: 6", "max.in.flight.requests.per.connection", "5"),
        ("processing.guarantee: exactly_once_v2, producer.retries: 0", "producer.retries", "2147483647"),
        ("producer.delivery.timeout.ms: 10s", "producer.delivery.timeout.ms", "30100"),
        ("consumer.session.timeout.ms: 3s", "consumer.heartbeat.interval.ms", "1000"),
        ("consumer.group.remote.assignor: uniform", "consumer.group.remote.assignor", None),
        ("group.protocol: streams, consumer.group.instance.id: a", "consumer.group.instance.id", None),
        ("group.protocol: streams, num.standby.replicas: 1", "num.standby.replicas", None),
        ("group.protocol: streams, num.standby.replicas: 0", "num.standby.replicas", "0"),
        ("enable.auto.commit: true", "enable.auto.commit", None),
        ("processing.guarantee: exactly_once_v2, producer.transactional.id: a", "producer.transactional.id", None),
    ],
)
def test_a_streams_application_gets_no_setting_that_it_refuses_or_ignores(client, config, name, printed):
    found = client(f"streams:\n  x: {{reads: [orders], config: {{{config}}}}}\n")
    properties, notes = in_java(found)
    assert {item.name: item.value for item in properties}.get(name) == printed
    assert printed is not None or any(note.startswith(name) for note in notes)


@pytest.mark.parametrize(
    ("declared", "java", "librdkafka"),
    [
        ("murmur2", None, "murmur2_random"),
        ("librdkafka-consistent", "note", "consistent"),
        ("librdkafka-consistent-random", "note", "consistent_random"),
        ("librdkafka-murmur2", "note", "murmur2"),
        ("librdkafka-fnv1a-random", "note", "fnv1a_random"),
        ("round-robin", "partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner", "note"),
        ("sticky", "partitioner.ignore.keys=true", "note"),
        ("sarama-hash", "note", "note"),
    ],
)
def test_the_topics_partitioner_is_set_where_the_client_has_it(client, declared, java, librdkafka):
    found = client("producers:\n  x: {topics: [orders]}\n", partitioner=declared)
    text, data = as_properties(found), as_librdkafka(found)
    if java is None:
        assert "partitioner" not in text
    else:
        assert ("# note: partitioner.class: the Java client has none" if java == "note" else java) in text
    assert data["config"].get("partitioner", "note") == librdkafka
    assert (librdkafka == "note") == any(note.startswith("partitioner: librdkafka has none") for note in data["notes"])


def test_properties_have_the_reason_above_each_setting(client):
    text = as_properties(client("producers:\n  x: {topics: [orders]}\n"))
    assert text.startswith(
        "# producer x\n\n# at least once: acknowledged only after every in-sync replica has the record\nacks=all\n"
    )


def test_properties_are_escaped_as_java_reads_them(client):
    found = client('producers:\n  x: {topics: [orders], config: {client.id: " a\\\\b\\té😀"}}\n')
    assert "client.id=\\ a\\\\b\\t\\u00e9\\ud83d\\ude00\n" in as_properties(found)


def test_settings_unknown_to_librdkafka_are_left_out_with_a_note_and_others_are_renamed(client):
    found = as_librdkafka(
        client(
            "consumerGroups:\n  x: {topics: [orders], config: {max.poll.records: 10, fetch.max.wait.ms: 100ms, "
            "partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}}\n"
        )
    )
    assert "max.poll.records" not in found["config"]
    assert any(note.startswith("max.poll.records=10") for note in found["notes"])
    assert found["config"]["fetch.wait.max.ms"] == "100"
    assert found["config"]["partition.assignment.strategy"] == "range"


CLIENTS = """\
producers:
  p: {topics: [orders], delivery: exactly-once, transactionalId: p-, config: {max.request.size: 1048576,
      buffer.memory: 33554432, send.buffer.bytes: -1, compression.type: zstd, compression.zstd.level: 3, linger.ms: 5}}
  q: {topics: [orders], delivery: at-most-once}
consumerGroups:
  g: {topics: [orders], start: latest, instances: [g-0], config: {session.timeout.ms: 10s, heartbeat.interval.ms: 3s,
      max.poll.records: 10, request.timeout.ms: 30s, max.partition.fetch.bytes: 1MiB}}
  h: {topics: [orders], start: 2026-03-01T00:00:00Z}
  i: {assign: {orders: [0]}, start: earliest, delivery: exactly-once}
"""


def test_a_real_librdkafka_client_takes_every_setting(tmp_path):
    """In a process of its own, because librdkafka logs to stderr and keeps threads."""
    file = tmp_path / "topology.yaml"
    file.write_text(HEAD % ("4.1", "murmur2") + CLIENTS)
    topology = load(file).topology
    assert topology is not None
    data = [as_librdkafka(client) for client in client_settings(topology)]
    assert len(data) == 5
    program = (
        "import json, sys, confluent_kafka as k\n"
        "for c in json.load(sys.stdin):\n"
        "    (k.Producer if c['kind'] == 'producer' else k.Consumer)(c['config'])\n"
        "print('all')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(data), capture_output=True, text=True, check=False
    )
    assert done.stdout == "all\n", done.stderr


def test_a_transaction_lasts_at_least_as_long_as_its_deliveries(client):
    exactly = "producers:\n  x: {topics: [orders], delivery: exactly-once, transactionalId: x, config: %s}\n"
    usual = values(client(exactly % "{}"))
    assert (usual["delivery.timeout.ms"], usual["transaction.timeout.ms"]) == ("60000", "60000")
    longer = values(client(exactly % "{delivery.timeout.ms: 2m}"))
    assert (longer["delivery.timeout.ms"], longer["transaction.timeout.ms"]) == ("120000", "120000")
    short = client(exactly % "{transaction.timeout.ms: 10s}")
    assert values(short)["transaction.timeout.ms"] == "10000"
    assert reason(short, "transaction.timeout.ms").startswith("declared; exactly once: when it ends")


ONCE = "producers:\n  x: {topics: [orders], delivery: exactly-once, transactionalId: x-, config: {%s}}\n"


def test_a_transaction_is_never_longer_than_the_brokers_allow(client):
    found = values(client(ONCE % "delivery.timeout.ms: 20m"))
    assert (found["delivery.timeout.ms"], found["transaction.timeout.ms"]) == ("900000", "900000")
    assert values(client(ONCE % "transaction.timeout.ms: 1h"))["transaction.timeout.ms"] == "900000"
    assert values(client(ONCE % "transaction.timeout.ms: 5m"))["transaction.timeout.ms"] == "300000"


def test_a_number_above_javas_largest_int_is_left_out(client):
    producer = client("producers:\n  x: {topics: [orders], config: {batch.size: 2147483648, retries: 2147483648}}\n")
    assert "batch.size" not in values(producer)
    assert values(producer)["retries"] == "2147483647"
    assert "batch.size=2147483648: left out, because the client refuses it" in " ".join(producer.notes)
    slow = client("producers:\n  x: {topics: [orders], config: {request.timeout.ms: 2147483647}}\n")
    assert values(slow)["delivery.timeout.ms"] == "2147483647"


def test_at_most_once_does_not_commit_on_a_timer(client):
    found = client(
        "consumerGroups:\n  x: {topics: [orders], delivery: at-most-once, config: {enable.auto.commit: true}}\n"
    )
    assert values(found)["enable.auto.commit"] == "false"
    assert "the declared true breaks this" in as_properties(found)


def test_settings_of_the_classic_protocol_are_left_out_with_the_new_one(client):
    found = client(
        "consumerGroups:\n  x: {topics: [orders], config: {group.protocol: consumer, session.timeout.ms: 10s}}\n"
    )
    assert "session.timeout.ms" not in values(found)
    assert "session.timeout.ms: left out" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("declared", "printed"),
    [
        ("range", "org.apache.kafka.clients.consumer.RangeAssignor"),
        ("acme.Mine, sticky", "acme.Mine,org.apache.kafka.clients.consumer.StickyAssignor"),
        ("acme.Mine", "acme.Mine"),
    ],
)
def test_short_names_of_assignors_are_printed_as_classes(client, declared, printed):
    config = f'{{partition.assignment.strategy: "{declared}"}}'
    found = client(f"consumerGroups:\n  x: {{topics: [orders], start: earliest, config: {config}}}\n")
    assert values(found)["partition.assignment.strategy"] == printed


ONE_MINUTE = '4.1", defaults: {transaction.max.timeout.ms: 1m}, name: "brief'


@pytest.mark.parametrize(
    ("declared", "printed"),
    [
        ("transaction.timeout.ms: 10m", {"transaction.timeout.ms": "60000"}),
        ("producer.transaction.timeout.ms: 10m", {"producer.transaction.timeout.ms": "60000"}),
        ("producer.transaction.timeout.ms: 30s", {"producer.transaction.timeout.ms": "30000"}),
        (
            "producer.transaction.timeout.ms: 10m, commit.interval.ms: 2m",
            {"producer.transaction.timeout.ms": "60000", "commit.interval.ms": "100"},
        ),
        ("commit.interval.ms: 5s", {"commit.interval.ms": "5000"}),
    ],
)
def test_transactions_of_kafka_streams_are_never_longer_than_the_brokers_allow(client, declared, printed):
    text = f"streams: {{x: {{reads: [orders], delivery: exactly-once, config: {{{declared}}}}}}}"
    found = {
        name: value for name, value in values(client(text, ONE_MINUTE)).items() if "timeout" in name or "commit" in name
    }
    assert found == printed


@pytest.mark.parametrize(
    ("declared", "printed"),
    [
        ("maxProcessingTime: 10m", {"max.poll.interval.ms": "750000", "max.poll.records": "1"}),
        ("maxProcessingTime: 10m, config: {max.poll.interval.ms: 1h}", {
            "max.poll.interval.ms": "3600000", "max.poll.records": "4",
        }),
        ("maxProcessingTime: 2s", {"max.poll.records": "120"}),
        ("maxProcessingTime: 2s, config: {max.poll.records: 150}", {"max.poll.records": "150"}),
        ("maxProcessingTime: 2s, config: {max.poll.records: 151}", {"max.poll.records": "120"}),
        ("maxProcessingTime: 100ms", {}),
        ("maxProcessingTime: 10m, library: librdkafka", {"max.poll.interval.ms": "750000"}),
        ("maxProcessingTime: 2s, library: librdkafka", {}),
    ],
)  # fmt: skip
def test_members_may_take_as_long_as_a_record_takes(client, declared, printed):
    found = values(client(f"consumerGroups: {{x: {{topics: [orders], start: earliest, {declared}}}}}"))
    assert {name: value for name, value in found.items() if name.startswith("max.poll")} == printed


@pytest.mark.parametrize("declared", ["forever", "30d", "1m, library: kafkajs"])
def test_a_record_that_takes_too_long_for_any_member_is_said(client, declared):
    found = client(f"consumerGroups: {{x: {{topics: [orders], start: earliest, maxProcessingTime: {declared}}}}}")
    assert [note for note in found.notes if "maxProcessingTime" in note]
