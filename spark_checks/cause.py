"""Why records are where they should not be: which other partitioner or partition count explains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .conditions import Misplaced
from .evidence import Evidence
from .partitioners import Hash, HashPartitioner, Reduction

# Of n partitions a wrong guess still hits one in n, so few records explain nothing.
BY_CHANCE = 0.01
EXPLAINED_SHARE = 0.95

_LABELS = {
    (Hash.MURMUR2, Reduction.MASKED): "murmur2 (Java's default, librdkafka murmur2_random)",
    (Hash.CRC32, Reduction.UNSIGNED): "crc32 (librdkafka's default, consistent_random)",
    (Hash.FNV1A, Reduction.ABSOLUTE): "fnv1a (librdkafka fnv1a, sarama's hash partitioner)",
    (Hash.FNV1A, Reduction.MASKED): "fnv1a (sarama's reference hash partitioner)",
}


@dataclass(frozen=True, slots=True)
class Cause:
    text: str
    remediation: str


@dataclass(frozen=True, slots=True)
class _Guess:
    partitioner: HashPartitioner
    partitions: int
    explained: int


def expected_partition(test: Misplaced, record: Evidence) -> int | None:
    """Where the record belongs; None when its key was too long to be fetched or ties it to no partition."""
    if record.key is None and record.key_length is not None:
        return None
    place = test.partitioner.partition(record.key, _partitions_at(test, record.timestamp_ms))
    return place if isinstance(place, int) else None


def likely_cause(test: Misplaced, evidence: Sequence[Evidence], *, violations: int, records: int) -> Cause:
    usable = [record for record in evidence if record.key is not None]
    guesses = list(_guesses(test, usable))
    # Of two guesses that explain as much, the one over more partitions is less likely by chance.
    best = max(guesses, key=lambda guess: (guess.explained, guess.partitions), default=None)
    if best is None or not _convincing(best, len(usable), len(guesses)):
        return _unexplained(test, evidence)
    if best.partitions != test.eras[-1].partitions:
        return _older_count(best, len(usable))
    return _other_partitioner(test, best, len(usable), violations, records)


def _guesses(test: Misplaced, records: Sequence[Evidence]) -> Iterator[_Guess]:
    partitions = test.eras[-1].partitions
    declared = test.partitioner
    for hashing, reduction in _LABELS:
        if (hashing, reduction) != (declared.hash, declared.reduction):
            other = HashPartitioner("", hashing, reduction)
            yield _Guess(other, partitions, _explained(other, partitions, records))
    for earlier in range(2, partitions):
        yield _Guess(declared, earlier, _explained(declared, earlier, records))


def _explained(partitioner: HashPartitioner, partitions: int, records: Sequence[Evidence]) -> int:
    return sum(partitioner.partition(each.key, partitions) == each.partition for each in records)


def _convincing(guess: _Guess, records: int, guesses: int) -> bool:
    if not records or guess.explained < EXPLAINED_SHARE * records:
        return False
    return guesses * float(guess.partitions) ** -guess.explained < BY_CHANCE


def _other_partitioner(test: Misplaced, guess: _Guess, examined: int, violations: int, records: int) -> Cause:
    found = _LABELS[guess.partitioner.hash, guess.partitioner.reduction]
    # The foreign producer is right by chance once in n, so it wrote more than what is misplaced.
    foreign = min(records, round(violations * guess.partitions / max(1, guess.partitions - 1)))
    return Cause(
        f"a producer that uses {found}: it explains {guess.explained} of {examined} misplaced records"
        f" examined, and wrote about {foreign} of the {records} records",
        f"set that producer's partitioner to {test.partitioner.name}, or declare the one in use;"
        " records already written stay where they are",
    )


def _older_count(guess: _Guess, examined: int) -> Cause:
    return Cause(
        f"an earlier partition count: {guess.partitions} partitions explain {guess.explained} of {examined}"
        " misplaced records examined",
        f"declare it under `key.history`: {{partitions: {guess.partitions}, until: <when partitions were added>}}",
    )


def _unexplained(test: Misplaced, evidence: Sequence[Evidence]) -> Cause:
    places = sorted({record.partition for record in evidence})
    where = f"partition {places[0]}" if len(places) == 1 else f"{len(places)} partitions"
    return Cause(
        f"no known partitioner or earlier partition count explains the records in {where}:"
        " a producer that sets the partition itself, or a partitioner of its own",
        f"let {test.partitioner.name} choose the partition in every producer of the topic",
    )


def _partitions_at(test: Misplaced, timestamp_ms: int) -> int:
    for era in test.eras:
        if era.until_ms is None or timestamp_ms < era.until_ms:
            return era.partitions
    return test.eras[-1].partitions
