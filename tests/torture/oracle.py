"""What must hold after every turn, seen from outside of the product."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import TYPE_CHECKING

from .bench import outside
from .stack import WITHOUT_QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafka_tools import Seen

    from .bench import Bench

LONGEST_UP = 300.0
_SETTLES = 20.0  # a broker hears of a change a moment after it was made


def settled(bench: Bench, judge: Callable[[Bench, Seen], list[str]]) -> list[str]:
    """What `judge` still finds when every broker has heard of the last change."""
    deadline = time.monotonic() + _SETTLES
    while True:
        found = judge(bench, bench.seen())
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


def changed_outside(bench: Bench, seen: Seen) -> list[str]:
    """Topics, ACLs, users, quotas and offsets that no stack declares."""
    now = outside(seen)
    found = []
    for part in fields(now):
        before, after = getattr(bench.outside, part.name), getattr(now, part.name)
        if before != after:
            changed = sorted(key for key in before | after if before.get(key) != after.get(key))
            wrong = {key: (before.get(key), after.get(key)) for key in changed}
            found.append(f"{part.name} of others changed: {wrong}")
    return found


def unlike_declaration(bench: Bench, seen: Seen) -> list[str]:
    """Declared things that Kafka has otherwise, after a run that said it succeeded."""
    found = []
    declared = bench.declared.topics()
    live = {name: shape for name, shape in seen.topics.items() if name.startswith("t.")}
    if set(live) != set(declared):
        found.append(f"topics {sorted(live)}, declared {sorted(declared)}")
    for name in set(live) & set(declared):
        want = declared[name]
        partitions, replication, config = live[name]
        settings = {key: str(value) for key, value in want["config"].items()}
        if (partitions, replication, config) != (want["partitions"], want["replication"], settings):
            found.append(f"{name} is {live[name]}, declared {want}")
    resting = set(seen.offsets.get("t.resting", {}).values())
    if resting != {bench.resting}:
        found.append(f"offsets of t.resting {sorted(resting)}, expected {bench.resting}")
    quota = [limits for entity, limits in seen.quotas.items() if "'t-app'" in entity]
    if quota != [{"producer_byte_rate": float(bench.declared.rate)}]:
        found.append(f"quota {quota}, declared {bench.declared.rate}")
    if "SCRAM-SHA-512" not in seen.users.get("t-app", ""):
        found.append(f"user t-app has {seen.users.get('t-app')}")
    for principal, acls in bench.granted.items():
        if seen.acls.get(principal) != acls:
            found.append(f"{principal} has {seen.acls.get(principal)}, declared {acls}")
    watching = {line.split()[1] for line in seen.acls.get("User:t-watch", ())}
    wanted = {"DESCRIBE", "DESCRIBE_CONFIGS"} if bench.declared.revision % 2 else {"DESCRIBE"}
    if watching != wanted:
        found.append(f"User:t-watch may {sorted(watching)}, declared {sorted(wanted)}")
    return found


def converges(bench: Bench) -> list[str]:
    """The next `up` succeeds, the one after it changes nothing, and Kafka has what is declared."""
    first = (*WITHOUT_QUESTIONS, "--refresh") if bench.drifted else WITHOUT_QUESTIONS
    for arguments in (first, (*WITHOUT_QUESTIONS, "--expect-no-changes")):
        bench.stack.unlock()
        done = bench.stack.begin("up", *arguments).end(LONGEST_UP)
        if done.faults() or done.code:
            what = "the next up" if arguments == first else "the up after it"
            return [*done.faults(), f"{what} ended with {done.code}: {done.text[-1500:]}"]
    return settled(bench, unlike_declaration)
