"""Every record is judged, or the report says that it was not: odd numbers, times, fields and keys, in both engines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from planted import Fault, Record, found_in, result

from kafka_topology.spark_checks import check, run
from kafka_topology.spark_checks.results.report import TopicReport
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import CheckLimits, Key, Partitioner, Value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Inspect = Callable[..., tuple[TopicReport, set[tuple[str, str, int, int]]]]
KEY = Key("string", nulls="allowed")
BACK, AGAIN, AT_BACK = ("order", "n goes back"), ("order", "n repeated"), ("order", "at goes back")


def placed(key: bytes, value: str | bytes | None, *faults: Fault, partitioner: str = "murmur2") -> Record:
    partition = HASH_PARTITIONERS[partitioner].partition(key, 3)
    assert isinstance(partition, int)
    return Record(key, value.encode() if isinstance(value, str) else value, partition, faults)


def numbered(key: str, number: object, *faults: Fault) -> Record:
    return placed(key.encode(), f'{{"n": {number}}}', *faults)


def test_sequences_of_any_size_are_judged(inspect: Inspect) -> None:
    records = []
    for base in (10**17, 10**18, 1_772_359_200_123_456_789, 2**62 - 1, 2**63 - 2, 2**64 - 2, 10**40, -(10**40)):
        key = f"k{base}"
        records += [numbered(key, base + step) for step in (0, 1, 2)]
        records += [numbered(key, base + 1, BACK), numbered(key, f'"{base + 2}"', AGAIN), numbered(key, base + 3)]
    records += [
        numbered("float", "1.5"),
        numbered("float", "1.50", AGAIN),
        numbered("float", "15e-1", AGAIN),
        numbered("float", "1.4999999999999999999", BACK),
        numbered("float", "2.0"),
        numbered("float", "2", AGAIN),
        numbered("float", "1E+30"),
        placed(b"float", None),  # a tombstone is exempt
        Record(None, b'{"n": 1}', 0),
    ]
    value = Value("json", sequence="n")
    report, wrong = inspect(records, key=KEY, value=value, ordering="per-key", both_engines=True)
    assert found_in(report, "order") == wrong
    order = result(report, "order")
    assert (order.status, order.violations, order.judged, order.unjudged, order.exempt) == ("exact", 20, 55, 0, 2)


def test_times_of_every_form_are_judged(inspect: Inspect) -> None:
    texts = [
        ("2026-03-01", ()),
        ("2026-03-01T10:00Z", ()),
        ("2026-03-01t10:00:00.5z", ()),
        ("2026-03-01T09:59Z", (AT_BACK,)),
        ("2026-03-01 12:00:01+02", ()),
        ("2026-03-01T10:00:01.000000002Z", ()),
        ("2026-03-01T10:00:01.000000001Z", (AT_BACK,)),
        ("2026-03-01T10:00:01,5Z", ()),
    ]
    records = [placed(b"k", json.dumps({"at": text}), *faults) for text, faults in texts]
    records.append(Record(None, b'{"at": 5}', 0))  # exempt, so it does not mix numbers with text
    value = Value("json", timestamp="at")
    report, wrong = inspect(records, key=KEY, value=value, ordering="per-key", both_engines=True)
    assert found_in(report, "order") == wrong
    assert (result(report, "order").status, result(report, "order").violations) == ("exact", 2)

    numbers = ["1772359200.25", "1772359200.5", "1772359200.4999999999", "1.7723592006E9", "1772359201", "1772359200.9"]
    faults = [(), (), (AT_BACK,), (), (), (AT_BACK,)]
    records = [placed(b"k", f'{{"at": {at}}}', *wrong) for at, wrong in zip(numbers, faults, strict=True)]
    report, wrong = inspect(records, key=KEY, value=value, ordering="per-key", both_engines=True)
    assert found_in(report, "order") == wrong
    assert (result(report, "order").status, result(report, "order").judged) == ("exact", 6)

    mixed = [placed(b"k", f'{{"at": {at}}}') for at in ("1772359200000", "1772359200001", '"2026-03-01T10:00:00Z"')]
    report, _ = inspect(mixed, key=KEY, value=value, ordering="per-key")
    order = result(report, "order")
    assert (order.status, order.unjudged, order.outcome) == ("bounded", 1, "could-not-check")
    assert "1 timestamps are text and 2 are numbers" in order.reason


@pytest.mark.parametrize("fewer", ["texts", "numbers"])
def test_mixed_forms_of_time_are_counted_once(inspect: Inspect, fewer: str) -> None:
    """Each record is judged, unjudged or exempt. One that goes back among its own kind is judged."""
    texts = [
        placed(b"a", '{"at": "2026-03-01T10:00:00Z"}'),
        placed(b"a", '{"at": "2026-03-01T09:00:00Z"}', AT_BACK),
        placed(b"b", '{"at": "2026-03-01T10:00:00Z"}'),
    ]
    numbers = [
        placed(b"a", '{"at": 1772359200002}'),
        placed(b"a", '{"at": 1772359200001}', AT_BACK),
        placed(b"a", '{"at": "1772359200000"}', AT_BACK),  # a number, however it is written
    ]
    more = [placed(b"c", f'{{"at": {at}}}') for at in (1, 2, 3, 4)]
    if fewer == "numbers":
        more = [placed(b"c", f'{{"at": "2026-03-0{day}"}}') for day in (1, 2, 3, 4)]
    odd = ['{"at": "yesterday"}', '{"at": ""}', '{"at": null}', '{"at": [1]}', "{}", "no JSON", '{"at": "2026-02-30"}']
    records = [
        *(placed(b"a", value) for value in odd[:3]),
        *texts,
        *numbers,
        *(placed(b"a", value) for value in odd[3:]),
        *more,
        placed(b"a", None),
        Record(None, b'{"at": 5}', 0),
        Record(None, b'{"at": "yesterday"}', 0),
    ]
    value = Value("json", timestamp="at")
    report, wrong = inspect(records, key=KEY, value=value, ordering="per-key", both_engines=True)
    assert found_in(report, "order") == {each for each in wrong if each[0] == "order"}
    order = result(report, "order")
    open_ = 2 if fewer == "texts" else 1  # those of the fewer kind that are no violation
    assert (order.violations, order.exempt) == (3, 3)
    assert (order.judged, order.unjudged) == (10 - open_, 7 + open_)
    assert order.reason is not None
    assert f"{7 + open_} of 17 records could not be judged, 7 of them: no at" in order.reason
    assert order.outcome == "violated"


@pytest.mark.parametrize("ordering", ["per-key", "total"])
def test_sequences_with_some_that_are_no_number(inspect: Inspect, ordering: str) -> None:
    records = [
        numbered("k", 1),
        numbered("k", '"x"'),
        numbered("k", '"2"'),
        numbered("k", "null"),
        numbered("k", 1, BACK),
        numbered("k", "true"),
        numbered("k", "2.0", AGAIN),
        numbered("k", '"2026-03-01T10:00:00Z"'),  # a time is no sequence number
        placed(b"k", None),
    ]
    if ordering == "total":
        records = [replace(record, partition=0) for record in records]
    report, wrong = inspect(
        records,
        1 if ordering == "total" else 3,
        key=KEY,
        value=Value("json", sequence="n"),
        ordering=ordering,
        both_engines=True,
    )
    assert found_in(report, "order") == wrong
    order = result(report, "order")
    assert (order.violations, order.judged, order.unjudged, order.exempt) == (2, 4, 4, 1)


def test_what_nobody_could_judge_is_not_fine(inspect: Inspect) -> None:
    records = [placed(b"k", json.dumps({"n": f"v{number}"})) for number in range(5)]
    report, _ = inspect(records, key=KEY, value=Value("json", sequence="n"), ordering="per-key", both_engines=True)
    order = result(report, "order")
    assert (order.status, order.violations, order.outcome) == ("not-checked", None, "could-not-check")
    assert order.reason == "5 of 5 records could not be judged: no n"


@pytest.mark.parametrize(
    ("limits", "outcome"),
    [
        (None, "violated"),
        (CheckLimits(), "violated"),
        (CheckLimits(max_violations=Fraction(1, 100)), "could-not-check"),
        (CheckLimits(max_violations=Fraction(1, 100), min_judged=Fraction(98, 100)), "tolerated"),
        (CheckLimits(max_violations=Fraction(1, 1000), min_judged=Fraction(0)), "violated"),
    ],
)
def test_limits_decide_what_follows(inspect: Inspect, limits: CheckLimits | None, outcome: str) -> None:
    """Of 200 records two have no number, and one goes back."""
    records = [numbered("k", number) for number in range(197)]
    records += [numbered("k", 3, BACK), numbered("k", '"x"'), numbered("k", '"y"')]
    declared = {} if limits is None else {"checks": {"order": limits}}
    report, _ = inspect(records, key=KEY, value=Value("json", sequence="n"), ordering="per-key", **declared)
    order = result(report, "order")
    assert (order.violations, order.judged, order.unjudged, order.outcome) == (1, 198, 2, outcome)


def test_a_key_equals_its_field_as_it_is_written(inspect: Inspect) -> None:
    differs = ("key-field", "differs from id")
    texts = ["1.10", "1e2", "-0", "0", "0.1234567890123456789", "12345678901234567890", "true", "1E-7", "100.0"]
    records = [placed(text.encode(), f'{{"id": {text}}}') for text in texts]
    records += [
        placed(b"1.1", '{"id": 1.10}', differs),
        placed(b"100.0", '{"id": 1e2}', differs),
        placed(b"last", '{"id": "first", "id": "last"}'),
        placed(b"first", '{"id": "first", "id": "last"}', differs),
        placed(b"1", '{"id": 1} x', differs, ("value-schema", "not JSON")),
        placed(b"null", '{"id": null}', differs),
        placed(b"gone", None),
    ]
    key = Key("string", field="id", nulls="allowed")
    report, wrong = inspect(records, key=key, value=Value("json"), both_engines=True)
    assert found_in(report, "key-field", "value-schema") == wrong
    found = result(report, "key-field")
    assert (found.status, found.exempt, found.unjudged) == ("exact", 1, 0)


def test_half_a_surrogate_pair_equals_nothing(inspect: Inspect) -> None:
    """UTF-8 has no bytes for it. Java and Spark write a question mark, which is the key of somebody else."""
    differs = ("key-field", "differs from id")
    high, low, pair = "\\ud83d", "\\uDE00", "\\ud83d\\uDE00"
    smile = "\U0001f600".encode()
    records = [
        placed(smile, f'{{"id": "{pair}"}}'),
        placed(smile + b"?", f'{{"id": "{pair}?"}}'),
        placed(smile * 2, f'{{"id": "{pair}{pair}"}}'),
        placed(b"\\ud83d", r'{"id": "\\ud83d"}'),  # a backslash and letters
        placed(b"?", '{"id": "?"}'),
        placed(b"k", f'{{"id": "k", "other": "{high}", "{low}": 1}}'),
        placed(b"1.10", f'{{"id": 1.10, "other": "{high}"}}'),
        placed(b"k", f'{{"id": "{low}", "id": "k"}}'),
        placed(b"k", f'{{"id": "k", "id": "{low}"}}', differs),
    ]
    halves = [high, low, low + high, f"{high}{pair}", f"{pair}{low}", f"{high}{high}{low}", f"{high}\\u0041{low}"]
    for half in halves:
        text = json.loads(f'"{half}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        keys = ("?", "??", "\ufffd", text, half, text.replace("\ufffd", "?"))
        records += [placed(key.encode(), f'{{"id": "{half}"}}', differs) for key in keys]
        records.append(placed(b'{"a":"?"}', f'{{"id": {{"a": "{half}"}}}}', differs))
        records.append(placed(b'["?"]', f'{{"id": ["{half}"]}}', differs))
    key = Key("string", field="id", nulls="allowed")
    report, wrong = inspect(records, key=key, value=Value("json"), both_engines=True)
    assert found_in(report, "key-field") == wrong
    assert result(report, "key-field").unjudged == 0


def test_half_a_surrogate_pair_in_a_key_equals_nothing(inspect: Inspect) -> None:
    differs = ("key-field", "differs from id")
    records = [
        placed(b'{"id": "k"}', '{"id": "k"}'),
        placed(b'"k"', '{"id": "k"}'),
        placed(b'{"id": "\\ud800"}', '{"id": "?"}', differs),
        placed(b'"\\ud800"', '{"id": "?"}', differs),
        placed(b'"\\ud800"', '{"id": "\\ud800"}', differs),
        placed(b'{"id": "k", "x": "\\ud800"}', '{"id": "k"}'),
    ]
    key = Key("json", field="id", nulls="allowed")
    report, wrong = inspect(records, key=key, value=Value("json"), both_engines=True)
    assert found_in(report, "key-field") == wrong


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (r"order\.id", '{"order.id": "k"}', '{"order": {"id": "k"}}'),
        ("order.id", '{"order": {"id": "k"}}', '{"order.id": "k"}'),
        ("order.id", '{"order": {"id": "k"}}', '{"order": "{\\"id\\": \\"k\\"}"}'),
        ("order.id", '{"order": 1, "order": {"id": "k"}}', '{"order": {"id": "k"}, "order": 1}'),
        ("it's", '{"it\'s": "k"}', '{"its": "k"}'),
    ],
)
def test_names_on_the_way_to_a_field(inspect: Inspect, field: str, good: str, bad: str) -> None:
    records = [placed(b"k", good), placed(b"k", bad, ("key-field", f"differs from {field}"))]
    key = Key("string", field=field, nulls="allowed")
    report, wrong = inspect(records, key=key, value=Value("json"), both_engines=True)
    assert found_in(report, "key-field") == wrong


def test_a_key_that_looks_like_an_object_is_not_looked_into(inspect: Inspect) -> None:
    differs = ("key-field", "differs from id")
    text = json.dumps('{"id": "a"}')  # a JSON string
    records = [
        placed(b'{"id": "a"}', '{"id": "a"}'),  # an object: by its member
        placed(text.encode(), f'{{"id": {text}}}'),
        placed(text.encode(), '{"id": "a"}', differs),
        placed(b"1.10", '{"id": 1.10}'),
    ]
    key = Key("json", field="id", nulls="allowed")
    report, wrong = inspect(records, key=key, value=Value("json"), both_engines=True)
    assert found_in(report, "key-field") == wrong


def zigzag(number: int) -> bytes:
    assert 0 <= number < 64
    return bytes([2 * number])


def test_an_avro_union_is_its_value(inspect: Inspect) -> None:
    differs = ("key-field", "differs from who.id")
    who = {"type": "record", "name": "Who", "fields": [{"name": "id", "type": ["null", "string", "int", "boolean"]}]}
    fields = [
        {"name": "who", "type": ["null", who, "string"]},
        {"name": "also", "type": {"type": "array", "items": "Who"}},
    ]
    schema = {"type": "record", "name": "Order", "namespace": "shop", "fields": fields}

    def value(member: bytes) -> bytes:
        return b"\0\0\0\0\7" + zigzag(1) + member + zigzag(1) + member + zigzag(0)

    ann, five = zigzag(1) + zigzag(3) + b"ann", zigzag(2) + zigzag(5)
    records = [
        placed(b"ann", value(ann)),
        placed(b"5", value(five)),
        placed(b"true", value(zigzag(3) + b"\1")),
        placed(b"bob", value(ann), differs),
        placed(b"null", value(zigzag(0)), differs),
    ]
    key = Key("string", field="who.id", nulls="allowed")
    report, wrong = inspect(
        records,
        key=key,
        value=Value("avro", schema="order.avsc"),
        schemas={"order.avsc": json.dumps(schema)},
        both_engines=True,
    )
    assert found_in(report, "key-field", "value-schema") == wrong


def test_every_record_that_goes_back_is_an_example(inspect: Inspect) -> None:
    records = [numbered("a", 1_000)] + [numbered("a", 900 - step, BACK) for step in range(58)]
    report, wrong = inspect(records, key=KEY, value=Value("json", sequence="n"), ordering="per-key", both_engines=True)
    assert found_in(report, "order") == wrong
    assert len(result(report, "order").examples) == 58


@pytest.mark.parametrize("misplaced", [False, True])
def test_the_empty_key_is_one_key(inspect: Inspect, misplaced: bool) -> None:
    """librdkafka writes empty keys anywhere. Only with a misplaced key are all keys asked for."""
    name = "librdkafka-consistent-random"
    records = [placed(f"k{number}".encode(), "{}", partitioner=name) for number in range(5)]
    records += [Record(b"", b"{}", partition) for partition in (0, 1, 2, 1)]
    if misplaced:
        right = placed(b"k0", "{}", partitioner=name).partition
        records.append(Record(b"k0", b"{}", (right + 1) % 3))
    key = Key("string", partitioner=Partitioner(name), nulls="allowed")
    report, _ = inspect(records, key=key, both_engines=True)
    cardinality = result(report, "cardinality")
    assert cardinality.metrics == {"distinctKeys": 6, "distinctKeysAtLeast": 6}
    assert (cardinality.status, result(report, "placement").exempt) == ("exact", 4)


def test_one_moment_for_all_topics_of_a_run(
    spark: SparkSession,
    bootstrap: str,
    declare: Callable[..., object],
    create_topic: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that leaps: what is overdue, or in the future, is compared with the time at the start of the run."""
    moments = iter(range(1_772_359_200, 10**10, 10**6))
    asked: list[int] = []

    class Clock:
        @staticmethod
        def time() -> int:
            asked.append(next(moments))
            return asked[-1]

    monkeypatch.setattr(run, "time", Clock)
    topology = declare(create_topic(2), 2)
    check(spark, topology, bootstrap_servers=bootstrap)  # type: ignore[arg-type]
    assert len(asked) == 1
