"""Why records are where they should not be: which other partitioner, serializer or partition count explains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, HashPartitioner, hash_families

from ..conditions.record import Misplaced, MisplacedByTable
from ..conditions.serializations import SERIALIZATIONS
from ..conditions.tables import ExpressionTable, comparable
from ..results.evidence import Evidence
from .check import Explanation

# Of n partitions a wrong guess still hits one in n, so few records explain nothing.
BY_CHANCE = 0.01
EXPLAINED_SHARE = 0.95

# One of each family is enough: they differ in null and empty keys only, which explain nothing.
_KNOWN = tuple(HashPartitioner("", members[0].hash, members[0].reduction) for members in hash_families().values())


@dataclass(frozen=True, slots=True)
class _Guess:
    """`hashed_as` names another form of the key, which was hashed in its place."""

    partitioner: HashPartitioner
    partitions: int
    explained: int
    hashed_as: str | None = None


def expected_partition(test: Misplaced | MisplacedByTable, record: Evidence) -> int | None:
    """Where the record belongs; None when that is open, or unknown because the key is too long to be fetched."""
    if record.key is None and record.key_length is not None:
        return None
    if isinstance(test, Misplaced):
        place = test.partitioner.partition(record.key, _partitions_at(test, record.timestamp_ms))
        return place if isinstance(place, int) else None
    if record.key is None or isinstance(test.table, ExpressionTable):
        return None
    key = comparable(record.key, test.table.order)
    return None if key is None else test.table.partition(key)


def likely_cause(
    test: Misplaced | MisplacedByTable,
    evidence: Sequence[Evidence],
    *,
    partitions: int,
) -> Explanation:
    usable = [record for record in evidence if record.key is not None]
    if isinstance(test, Misplaced) and any(map(_is_null, evidence)) and all(map(_is_null_or_empty, evidence)):
        return _null_keys(test.partitioner, evidence, partitions)
    guesses = list(_guesses(test, usable, partitions))
    # Of two guesses that explain as much, the plain key is likelier than another form of it, and then the one over
    # more partitions, because it is less likely by chance.
    best = max(guesses, key=lambda guess: (guess.explained, guess.hashed_as is None, guess.partitions), default=None)
    if best is None or not _convincing(best, len(usable), len(guesses)):
        return _unexplained(test, evidence)
    if best.hashed_as is not None:
        return _other_serializer(best, len(usable))
    if isinstance(test, Misplaced) and best.partitioner == test.partitioner:
        return _other_count(best, len(usable), partitions)
    return _other_partitioner(test, best, len(usable))


def _guesses(test: Misplaced | MisplacedByTable, records: Sequence[Evidence], partitions: int) -> Iterator[_Guess]:
    declared = test.partitioner if isinstance(test, Misplaced) else None
    for known in _KNOWN:
        if declared is None or known.family != declared.family:
            yield _guess(known, partitions, _placed(records))
    for form, rewrite in SERIALIZATIONS.items():
        placed = [(rewrite(record.key), record.partition) for record in records if record.key is not None]
        rewritten = [(key, partition) for key, partition in placed if key is not None]
        if rewritten:
            for known in _KNOWN:
                yield _guess(known, partitions, rewritten, form)
    if declared is not None:
        hashed = [(declared.spread(key), partition) for key, partition in _placed(records)]
        # Where there are eras, today's count is also one that their records should not have.
        eras = len(test.eras) if isinstance(test, Misplaced) else 1
        for earlier in range(2, partitions + (eras > 1)):
            explained = sum(value is not None and value % earlier == partition for value, partition in hashed)
            yield _Guess(declared, earlier, explained)


def _placed(records: Sequence[Evidence]) -> list[tuple[bytes, int]]:
    return [(record.key, record.partition) for record in records if record.key is not None]


def _guess(
    partitioner: HashPartitioner, partitions: int, placed: Sequence[tuple[bytes, int]], hashed_as: str | None = None
) -> _Guess:
    explained = sum(partitioner.partition(key, partitions) == partition for key, partition in placed)
    return _Guess(partitioner, partitions, explained, hashed_as)


def _convincing(guess: _Guess, records: int, guesses: int) -> bool:
    if not records or guess.explained < EXPLAINED_SHARE * records:
        return False
    return guesses * float(guess.partitions) ** -guess.explained < BY_CHANCE


def _label(partitioner: HashPartitioner) -> str:
    members = hash_families()[partitioner.family]
    names = [each.known_as for each in members if each.known_as] or [each.name for each in members]
    return f"{partitioner.hash} ({', '.join(names)})"


def _intended(test: Misplaced | MisplacedByTable) -> str:
    return test.partitioner.name if isinstance(test, Misplaced) else "the declared table"


def _other_partitioner(test: Misplaced | MisplacedByTable, guess: _Guess, examined: int) -> Explanation:
    return Explanation(
        f"a producer that uses {_label(guess.partitioner)}: it explains {guess.explained} of {examined} misplaced"
        " records examined",
        f"set that producer's partitioner to {_intended(test)}, or declare the one in use;"
        " records already written stay where they are",
    )


def _other_serializer(guess: _Guess, examined: int) -> Explanation:
    return Explanation(
        f"another serializer: hashed as {guess.hashed_as}, by {_label(guess.partitioner)}, the key explains"
        f" {guess.explained} of {examined} misplaced records examined",
        "let every producer hash the bytes that it sends: give its key serializer the form that is in the topic, or"
        " declare the placement with an `expression`; records already written stay where they are",
    )


def _is_null(record: Evidence) -> bool:
    return record.key is None and record.key_length is None


def _is_null_or_empty(record: Evidence) -> bool:
    return not record.key_length


def _null_keys(declared: HashPartitioner, evidence: Sequence[Evidence], partitions: int) -> Explanation:
    """Only a partitioner that places null keys has misplaced ones. Most others send them anywhere."""
    places = {record.partition for record in evidence}
    right = declared.partition(None, partitions)
    hashed = {each.name: each.partition(None, partitions) for each in HASH_PARTITIONERS.values() if each.null_as_empty}
    same = sorted(name for name, place in hashed.items() if {place} == places)
    anywhere = sorted(
        each.name
        for each in HASH_PARTITIONERS.values()
        if each.family == declared.family and not each.null_as_empty and each != declared
    )
    which = "null keys" if all(map(_is_null, evidence)) else "null and empty keys"
    said = f"{which}: {declared.name} puts all of them into partition {right}"
    if len(places) > 1 and anywhere:
        likely = f"and a producer that uses {' or '.join(anywhere)}, which differ in that, puts them into any partition"
    elif same:
        likely = f"and {' or '.join(same)} would put them into partition {min(places)}"
    else:
        likely = "and some producer puts them elsewhere: another partitioner, or one that sets the partition itself"
    instead = f", or declare {anywhere[0]}, for which any partition is right" if anywhere else ""
    return Explanation(
        f"{said}, {likely}",
        f"give the records a key, or set that producer's partitioner to {declared.name}{instead};"
        " records already written stay where they are",
    )


def _other_count(guess: _Guess, examined: int, partitions: int) -> Explanation:
    if guess.partitions == partitions:
        return Explanation(
            f"today's {partitions} partitions explain {guess.explained} of {examined} misplaced records examined,"
            " although their timestamps are from before partitions were added",
            "correct `until` under `key.history`, or find the producer that sets old timestamps",
        )
    return Explanation(
        f"an earlier partition count: {guess.partitions} partitions explain {guess.explained} of {examined}"
        " misplaced records examined",
        f"declare it under `key.history`: {{partitions: {guess.partitions}, until: <when partitions were added>}}",
    )


def _unexplained(test: Misplaced | MisplacedByTable, evidence: Sequence[Evidence]) -> Explanation:
    places = sorted({record.partition for record in evidence})
    where = f"partition {places[0]}" if len(places) == 1 else f"{len(places)} partitions"
    return Explanation(
        f"no known partitioner, serializer or earlier partition count explains the records in {where}:"
        " a producer that sets the partition itself, or a partitioner of its own",
        f"let {_intended(test)} choose the partition in every producer of the topic",
    )


def _partitions_at(test: Misplaced, timestamp_ms: int) -> int:
    for era in test.eras:
        if era.until_ms is None or timestamp_ms < era.until_ms:
            return era.partitions
    return test.eras[-1].partitions
