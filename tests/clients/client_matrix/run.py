"""The steps: build, write, read back, check by each engine and by the command, compare."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from .builds import Unavailable
from .checking import ENGINES, Checker, by_command, declare
from .clients import Client, Write
from .keys import write_keys
from .observed import Surprise, expected, places, read_topic
from .outcomes import Outcome, truth_of_right
from .rows import REFERENCE, Row

PARTITIONS = 7  # a prime: every bit of a hash matters
_BEGAN = time.monotonic()
Belongs = Mapping[str, Mapping[bytes | None, int]]  # by declaration: where each key belongs


def say(text: str) -> None:
    sys.stderr.write(f"[{time.monotonic() - _BEGAN:4.0f} s] {text}\n")
    sys.stderr.flush()


def outcomes_of(rows: Sequence[Row]) -> list[Outcome]:
    return [Outcome(row, f"clients.{row.client.lower()}.{number}") for number, row in enumerate(rows, start=1)]


def prepared(clients: Sequence[Client]) -> dict[str, Write | str]:
    """What writes for each client, or why it cannot be had."""
    found: dict[str, Write | str] = {}
    for client in clients:
        say(f"prepare {client.name} {client.version} ({client.package})")
        try:
            found[client.name] = client.prepare()
        except Unavailable as error:
            found[client.name] = str(error)
            say(f"  cannot be had: {error}")
    return found


def write_all(
    bootstrap: str,
    outcomes: Sequence[Outcome],
    writers: Mapping[str, Write | str],
    keys: Sequence[bytes | None],
    folder: Path,
) -> None:
    """Every client writes the keys with each of its partitioners; then the topics are read back."""
    file = folder / "keys.txt"
    write_keys(file, keys)
    admin = AdminClient({"bootstrap.servers": bootstrap})  # kept: without it the answer never comes
    topics = [NewTopic(each.topic, PARTITIONS, 1, config={"retention.ms": "-1"}) for each in outcomes]
    for created in admin.create_topics(topics).values():
        created.result(60)
    for outcome in outcomes:
        row, write = outcome.row, writers[outcome.row.client]
        if isinstance(write, str):
            outcome.unavailable = write
            continue
        began = time.monotonic()
        try:
            write(bootstrap, outcome.topic, row.partitioner, file)
            outcome.records, outcome.remark = read_topic(bootstrap, outcome.topic, PARTITIONS, keys)
        except (Unavailable, Surprise) as error:
            outcome.faults.append(str(error))
        _progress(outcome, f"{row.client} {row.partitioner} wrote {len(outcome.records):,} records", began)


def belongings(outcomes: Sequence[Outcome]) -> dict[str, dict[bytes | None, int]]:
    """For each declaration whose client wrote: where that client put each key."""
    found = {}
    by_name = {(each.row.client, each.row.partitioner): each for each in outcomes}
    for declared, name in REFERENCE.items():
        outcome = by_name.get(name)
        if outcome is None or not outcome.records:
            continue
        try:
            found[declared] = places(outcome.records, declared)
        except Surprise as error:
            outcome.faults.append(str(error))
    return found


def check_right(checker: Checker, outcomes: Sequence[Outcome], folder: Path) -> None:
    file = declare(folder / "right.yaml", {each.topic: each.row.declared for each in outcomes}, PARTITIONS)
    for engine in ENGINES:
        for outcome in outcomes:
            began = time.monotonic()
            should = truth_of_right(outcome)
            outcome.unjudged = should.unjudged if should else 0
            counted = checker.counted(engine, file, outcome.topic)
            outcome.blame(engine, counted, should)
            if should:
                outcome.blame_split(engine, counted)
            _progress(outcome, f"{engine}: {_title(outcome)} as {outcome.row.declared}", began)


def check_by_command(bootstrap: str, outcomes: Sequence[Outcome], folder: Path) -> None:
    """As users run it. No check at all may find a violation, so it must not end with 1."""
    began = time.monotonic()
    file = folder / "right.yaml"
    code, counted = by_command(file, bootstrap, folder / "right.json")
    for outcome in outcomes:
        outcome.blame("command", counted[outcome.topic], truth_of_right(outcome))
        if code not in (0, 3):
            outcome.faults.append(f"kafka-topology check ended with {code}")
        for fault in outcome.new_faults():
            say(f"  WRONG {_title(outcome)}: {fault}")
    say(f"kafka-topology check ended with {code} ({time.monotonic() - began:.0f} s)")


def check_wrong(checker: Checker, outcomes: Sequence[Outcome], folder: Path, belongs: Belongs) -> None:
    """Each wrong declaration must count what a comparison with the client of that declaration counts."""
    for number in range(2):
        declared = {each.topic: each.row.wrong[number] for each in outcomes}
        file = declare(folder / f"wrong-{number}.yaml", declared, PARTITIONS)
        for outcome in outcomes:
            name = declared[outcome.topic]
            if name not in belongs:
                outcome.unknown[name] = f"{REFERENCE[name][0]} wrote nothing to compare with"
        for engine in ENGINES:
            for outcome in (each for each in outcomes if declared[each.topic] in belongs):
                name, began = declared[outcome.topic], time.monotonic()
                should = expected(outcome.records, name, belongs[name])
                outcome.wrong[name] = should.violations
                counted = checker.counted(engine, file, outcome.topic)
                outcome.blame(f"{engine}, declared as {name}", counted, should)
                _progress(outcome, f"{engine}: {_title(outcome)} as {name}: {should.violations:,} misplaced", began)


def _title(outcome: Outcome) -> str:
    return f"{outcome.row.client} {outcome.row.partitioner}"


def _progress(outcome: Outcome, text: str, began: float) -> None:
    say(f"{text} ({time.monotonic() - began:.1f} s)")
    for fault in outcome.new_faults():
        say(f"  WRONG {fault}")
