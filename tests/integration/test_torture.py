"""A few turns of `make torture`, and proof that its oracle sees on real brokers what must not happen.

The long run is described in docs/reliability.md.
"""

from __future__ import annotations

import os
import signal
import time
from itertools import islice

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from kafka_tools import run
from torture.bench import prepared
from torture.oracle import changed_outside, settled, unlike_declaration
from torture.parts import all_faults, all_operations
from torture.plan import turns
from torture.processes import CRASHED, command_of, descendants
from torture.records import Records
from torture.run import Runner
from torture.stack import WITHOUT_QUESTIONS

SEED = 18
SECONDS = 30.0  # no turn begins later
PLUGIN = "pulumi-resource-kafka-topology"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with prepared(tmp_path_factory.mktemp("torture")) as bench:
        yield bench


def test_some_turns_of_a_seed_keep_all_promises(bench):
    """The quick ones: each with a fault of its own."""
    operations = {name: one for name, one in all_operations().items() if name in {"audit", "import", "refresh", "up"}}
    faults = all_faults()
    runner = Runner(bench, operations, faults)
    deadline = time.monotonic() + SECONDS
    results = []
    for turn in islice(turns(SEED, operations, faults), 8):
        tried = any(result.hit is not None for result in results)
        if tried and (len(results) >= 3 or time.monotonic() > deadline):
            break
        results.append(runner.play(turn))
    assert [(result.operation, result.fault, result.wrong) for result in results if result.wrong] == []
    assert sum(result.records for result in results) > 0
    assert [result.hit for result in results if result.hit is not None], "every fault came too late: nothing was tried"


def test_what_others_own_is_compared(bench):
    assert settled(bench, changed_outside) == []
    setting = ("kafka-configs", "--alter", "--entity-type", "topics", "--entity-name", "other.quiet", "--add-config")
    run(bench.cluster, *setting, "retention.ms=1234")
    admin = bench.admin()
    moved = ConsumerGroupTopicPartitions("other.group", [TopicPartition("other.kept", 0, 1)])
    admin.alter_consumer_group_offsets([moved])["other.group"].result(60)
    found = "; ".join(changed_outside(bench, bench.seen()))
    assert "topics of others changed" in found
    assert "offsets of others changed" in found


def test_a_declared_thing_that_is_otherwise_is_found(bench):
    assert settled(bench, unlike_declaration) == []
    bench.set_resting(3)
    (found,) = unlike_declaration(bench, bench.seen())
    assert "offsets of t.resting [3], expected 0" in found
    bench.set_resting(0)


def test_a_deleted_record_is_a_lost_one(bench):
    records = Records(bench)
    assert records.faults() == []
    admin = bench.admin()
    time.sleep(1)  # some more are acknowledged
    everything = TopicPartition("other.kept", 0, -1)
    admin.delete_records([everything])[everything].result(60)
    assert any("acknowledged record" in fault and "other.kept-0" in fault for fault in records.faults())
    assert records.lost > 0


def test_a_plugin_that_crashes_natively_is_found(bench):
    """The same moment as `plugin-killed`, but by the signal of a wild pointer."""
    bench.reach("plain")
    bench.declared = bench.declared.next_revision()
    bench.stack.declare(bench.declared.document())
    running = bench.stack.begin("up", *WITHOUT_QUESTIONS)
    while running.runs and not (
        plugins := [pid for pid in descendants(running.process.pid) if PLUGIN in command_of(pid)]
    ):
        time.sleep(0.02)
    time.sleep(1)  # until Python has begun, so that it is no death before the first line
    for pid in plugins:
        os.kill(pid, signal.SIGSEGV)
    done = running.end(300)
    assert any(CRASHED in fault for fault in done.faults()), done.text
