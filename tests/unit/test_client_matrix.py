"""The client matrix (`make clients`) covers every partitioner, cannot pass by accident, and its table is current."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from client_matrix.keys import EDGES, EMPTIES, NULLS, odd_keys
from client_matrix.observed import Expected, Observed, Surprise, _remark, expected, places
from client_matrix.outcomes import Outcome, differences, truth_of_right
from client_matrix.rows import ANYWHERE, EMPTY, NULL, REFERENCE, ROWS, WRONG, Row
from client_matrix.table import HEAD, head, table

from kafka_topology.topology.kafka.partitioners import ANY, BY_NAME, HASH_PARTITIONERS, Hash, hash_of

ROOT = Path(__file__).parents[2]
SIGNED_EDGES = [0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1]


def test_every_hash_partitioner_is_written_read_and_declared_wrongly() -> None:
    names = set(HASH_PARTITIONERS)
    assert {row.declared for row in ROWS} & names == names
    assert {wrong for row in ROWS for wrong in row.wrong} == names
    assert set(REFERENCE) == set(ANYWHERE) == names
    assert {row.declared for row in ROWS} <= set(BY_NAME)
    rows = {(row.client, row.partitioner): row.declared for row in ROWS}
    assert len(rows) == len(ROWS)
    assert {name: rows[writer] for name, writer in REFERENCE.items()} == {name: name for name in names}


def test_keys_that_go_anywhere_are_those_of_the_language() -> None:
    for name, keys in ANYWHERE.items():
        open_keys = tuple(key for key in (NULL, EMPTY) if HASH_PARTITIONERS[name].partition(key, 11) is ANY)
        assert keys == open_keys, name


def test_a_wrong_declaration_differs_from_the_right_one() -> None:
    for declared, wrong in WRONG.items():
        if declared in HASH_PARTITIONERS:
            right = HASH_PARTITIONERS[declared]
            for each in map(HASH_PARTITIONERS.__getitem__, wrong):
                # A null or empty key that may be anywhere is misplaced if the other one ties it to a partition.
                assert any(right.partition(key, 11) != each.partition(key, 11) is not ANY for key in odd_keys(100))


def test_keys_have_every_oddity() -> None:
    keys = odd_keys()
    assert keys == odd_keys()
    assert (keys.count(None), keys.count(b"")) == (NULLS, EMPTIES)
    assert len(set(keys)) > 5_000
    assert max(len(key or b"") for key in keys) > 2**16
    for kind in Hash:
        edges = [bytes.fromhex(key) for key in EDGES[kind.value]]
        assert [hash_of(kind, key) for key in edges] == SIGNED_EDGES
        assert set(edges) <= set(keys)


RECORDS = [Observed(b"a", 0, 0), Observed(b"b", 1, 0), Observed(b"a", 0, 1), Observed(None, 2, 0), Observed(b"", 2, 1)]


def test_what_must_be_counted_follows_from_where_another_client_put_the_keys() -> None:
    belongs = places([Observed(b"a", 1, 5), Observed(b"b", 1, 6), Observed(b"", 2, 9), Observed(None, 0, 0)], "murmur2")
    assert belongs == {b"a": 1, b"b": 1, b"": 2}
    assert expected(RECORDS, "murmur2", belongs) == Expected(1, {0: (2, 0, 1)})
    with pytest.raises(Surprise, match="two partitions"):
        places([Observed(b"a", 1, 5), Observed(b"a", 2, 6)], "murmur2")
    with pytest.raises(KeyError):  # a key that the other client never wrote
        expected([Observed(b"c", 1, 0)], "murmur2", belongs)


def counted(**changed: object) -> SimpleNamespace:
    right = {"status": "exact", "records": 5, "violations": 2, "unjudged": 1, "partitions": {0: (2, 0, 1)}}
    return SimpleNamespace(**{**right, "split": 0, "reason": None, **changed})


SHOULD = Expected(1, {0: (2, 0, 1)})


@pytest.mark.parametrize(
    ("found", "should", "difference"),
    [
        (counted(), SHOULD, None),
        (counted(status="bounded"), SHOULD, None),
        (counted(status="bounded", unjudged=0), Expected(0, SHOULD.partitions), "status bounded"),
        (counted(status="not-checked", violations=None), SHOULD, "status not-checked"),
        (counted(records=4), SHOULD, "read 4 of 5"),
        (counted(violations=3), SHOULD, "3 misplaced, expected 2"),
        (counted(violations=0, partitions={}), SHOULD, "0 misplaced, expected 2"),
        (counted(partitions={1: (2, 0, 1)}), SHOULD, "by partition"),
        (counted(partitions={0: (2, 0, 3)}), SHOULD, "by partition"),
        (counted(unjudged=0), SHOULD, "0 not judged, expected 1"),
        (counted(status="not-checked", violations=None), None, None),
        (counted(), None, "expected not-checked"),
    ],
)
def test_no_difference_goes_unnoticed(found: object, should: Expected | None, difference: str | None) -> None:
    said = "; ".join(differences(found, should, 5))
    assert difference in said if difference else not said


def test_a_split_key_is_a_fault_and_so_is_a_check_that_did_not_look() -> None:
    for split in (1, None):
        outcome = Outcome(ROWS[0], "t")
        outcome.blame_split("pure", counted(split=split))
        assert outcome.faults == [f"pure: {split} keys in several partitions, expected 0"]


def test_only_null_and_empty_keys_may_be_written_as_each_other() -> None:
    assert _remark([None, b"a"], [b"", b"a"]) == "writes empty keys as null"
    assert _remark([b"", b"a"], [None, b"a"]) == "writes null keys as empty"
    assert _remark([b"", b"a"], [b"", b"a"]) == ""
    with pytest.raises(Surprise, match="changed 1 keys"):
        _remark([b"A"], [b"a"])


def test_the_right_declaration_leaves_open_what_may_be_anywhere() -> None:
    outcome = Outcome(Row("librdkafka", "default", "librdkafka-consistent-random"), "t", records=RECORDS)
    assert truth_of_right(outcome) == Expected(2, {})
    assert truth_of_right(Outcome(Row("kafkajs", "LegacyPartitioner", "custom"), "t", records=RECORDS)) is None


def test_a_row_without_its_client_says_so() -> None:
    known = {row.client: SimpleNamespace(version="1") for row in ROWS}
    rows = [
        Outcome(ROWS[0], "a", unavailable="mvn is not installed"),
        Outcome(ROWS[0], "b", faults=["pure: 3 misplaced, expected 2"]),
        Outcome(ROWS[0], "c", wrong={"sarama-hash": 1234}, unknown={"murmur2": "Java wrote nothing to compare with"}),
    ]
    first, second, third = table(rows, known).splitlines()[2:]
    assert "could not check: mvn is not installed" in first
    assert "**wrong**: pure: 3 misplaced, expected 2" in second
    assert "`sarama-hash`: 1,234, `murmur2`: could not check" in third
    assert {line.count("|") for line in (first, second, third, *HEAD)} == {7}


def test_the_table_in_the_docs_has_every_row_and_no_failure() -> None:
    text = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"<!-- clients -->\n(.*?)<!-- end of clients -->", text, re.DOTALL)
    lines = found.splitlines()
    assert tuple(lines[:2]) == HEAD
    assert len(lines) == 2 + len(ROWS), "run make clients ARGS=--docs"
    for row, line in zip(ROWS, lines[2:], strict=True):
        version = line.partition(" | ")[0].rpartition(" ")[2]
        assert line.startswith(head(row, version)), "run make clients ARGS=--docs"
        assert "could not check" not in line
        assert "**wrong**" not in line


def test_pins_name_no_place_to_download_from() -> None:
    sources = ROOT / "tests" / "clients"
    lock = json.loads((sources / "node" / "package-lock.json").read_text())
    package = json.loads((sources / "node" / "package.json").read_text())
    assert all("resolved" not in each and "integrity" in each for name, each in lock["packages"].items() if name)
    assert lock["packages"]["node_modules/kafkajs"]["version"] == package["dependencies"]["kafkajs"]
    assert "://" not in (sources / "python" / "aiokafka.txt").read_text()
    assert "<repositor" not in (sources / "java" / "pom.xml").read_text()
