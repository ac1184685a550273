from __future__ import annotations

from collections.abc import Callable, Iterator

from kafka_topology.topology.model.declared import Key, KeyRange, Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.units import parse_integer
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT217: incomplete-partition-table

A range or list partitioner has a gap or an overlap, or names a partition that does not exist.

A key in a gap has no partition, so its producer fails or invents one. A key in two ranges may be placed in either.
A partition that does not exist makes every send fail, and one without keys stays empty.

Fix: Start each range where the one before it ends, leave the first and the last open, and use every partition.
"""

Bound = str | int | None  # None means open
Named = list[tuple[int, tuple[str | int, ...]]]  # each partition, and where the table names it


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.key is None:
            continue
        table = topic.key.partitioner
        if table.ranges:
            yield from _ranges(topic, topic.key)
            named: Named = [(r.partition, ("range", i, "partition")) for i, r in enumerate(table.ranges)]
        elif table.keys:
            named = [(partition, ("list", key)) for key, partition in table.keys.items()]
        else:
            continue
        yield from _partitions(topic, named)


def _partitions(topic: Topic, named: Named) -> Iterator[Problem]:
    for partition, path in named:
        if partition >= topic.partitions:
            yield _problem(
                topic,
                f"partition {partition} does not exist; expected 0 to {topic.partitions - 1}",
                topic.place("key", "partitioner", *path),
                "name a partition that exists, or create the topic with more partitions",
            )
    unused = sorted(set(range(topic.partitions)) - {partition for partition, _ in named})
    if unused:
        some = ", ".join(map(str, unused[:5])) + (", …" if len(unused) > 5 else "")
        yield _problem(
            topic,
            f"no key belongs to partition {some}; expected keys for each of {topic.partitions} partitions",
            topic.place("key", "partitioner", named[0][1][0]),
            "assign keys to these partitions, or create the topic with fewer",
        )


def _ranges(topic: Topic, key: Key) -> Iterator[Problem]:
    def at(index: int, field: str) -> Place:
        return topic.place("key", "partitioner", "range", index, field)

    bound: Callable[[str], Bound] = parse_integer if key.type in ("int", "long") else str
    bounds: list[tuple[int, Bound, Bound]] = []
    for index, each in enumerate(key.partitioner.ranges):
        wrong = _not_a_bound(each, bound)
        if wrong is not None:
            yield _problem(
                topic,
                f"{wrong} is `{getattr(each, _MODEL[wrong])}`; expected a whole number, because the key is {key.type}",
                at(index, wrong),
                "write a whole number",
            )
            return
        start, end = _bound(each.start, bound), _bound(each.end, bound)
        if start is not None and end is not None and not _below(start, end):
            yield _problem(
                topic,
                f"the range from {start} to {end} contains no key; expected `to` above `from`",
                at(index, "to"),
                "set `to` above `from`",
            )
            return
        bounds.append((index, start, end))
    bounds.sort(key=lambda each: (each[1] is not None, each[1] if each[1] is not None else ""))
    yield from _seams(topic, bounds, at)


def _seams(topic: Topic, bounds: list[tuple[int, Bound, Bound]], at: Callable[[int, str], Place]) -> Iterator[Problem]:
    """Each range must start where the one before it ends; the first and the last are open."""
    first, lowest, reached = bounds[0]
    if lowest is not None:
        yield _gap(topic, f"keys below {lowest}", at(first, "from"))
    last = first
    for index, start, end in bounds[1:]:
        if reached is None or start is None or _below(start, reached):
            yield _problem(
                topic,
                f"the range from {_name(start)} overlaps the one to {_name(reached)}; expected each key in one range",
                at(index, "from"),
                f"start the range at {_name(reached)}" if reached is not None else "keep one of the two",
            )
        elif _below(reached, start):
            yield _gap(topic, f"keys from {reached} to {start}", at(index, "from"))
        if reached is not None and (end is None or _below(reached, end)):
            last, reached = index, end
    if reached is not None:
        yield _gap(topic, f"keys from {reached} upwards", at(last, "to"))


def _gap(topic: Topic, keys: str, place: Place) -> Problem:
    return _problem(topic, f"{keys} have no partition; expected one for every key", place, "close the gap")


def _problem(topic: Topic, found: str, place: Place, fix: str) -> Problem:
    return Problem(f"{topic.name}: {found}", place, topic.name, fix)


_MODEL = {"from": "start", "to": "end"}


def _not_a_bound(each: KeyRange, bound: Callable[[str], Bound]) -> str | None:
    for field, attribute in _MODEL.items():
        text = getattr(each, attribute)
        if text is not None and bound(text) is None:
            return field
    return None


def _bound(text: str | None, bound: Callable[[str], Bound]) -> Bound:
    return bound(text) if text is not None else None


def _below(one: str | int, two: str | int) -> bool:
    return one < two  # type: ignore[operator]  # both are text, or both are numbers


def _name(bound: Bound) -> str:
    return "the open end" if bound is None else str(bound)


EXAMPLE = """\
version: 1
topics:
  orders:
    partitions: 2
    replication: 3
    key:
      type: string
      partitioner: {range: [{partition: 0, to: "m"}, {partition: 1, from: "n"}]}
"""

REGIONS = """\
  regions:
    partitions: 2
    replication: 3
    key: {type: string, partitioner: {list: {eu: 0, us: 1}}}
"""

GOOD = (changed(EXAMPLE, {'from: "n"': 'from: "m"'}) + REGIONS,)
BAD = (
    Bad(EXAMPLE, line=8, column=75),
    Bad(
        changed(EXAMPLE, {"type: string": "type: long", 'to: "m"': 'to: "1000"', 'from: "n"': 'from: "200"'}),
        line=8,
        column=78,
    ),
    Bad(changed(EXAMPLE, {'from: "n"': 'from: "m", to: "x"'}), line=8, column=84),
    Bad("version: 1\ntopics:\n" + changed(REGIONS, {"us: 1": "us: 1, asia: 2"}), line=6, column=66),
    Bad("version: 1\ntopics:\n" + changed(REGIONS, {"partitions: 2": "partitions: 3"}), line=6, column=45),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R10",))
