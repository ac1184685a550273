"""What the torture would say of an outcome, without brokers: a judge that finds nothing is worth nothing."""

from __future__ import annotations

from itertools import islice

import pytest
from torture.__main__ import main
from torture.operations import audit, check, review_live
from torture.parts import all_faults, all_operations
from torture.plan import turns
from torture.processes import CRASHED, Done
from torture.records import PLACES, Noted, Notes, Traffic, compared
from torture.results import Result, append, load
from torture.table import table

ORDERS = ("t.orders", 0)


def ended(code: int, text: str = "", *, killed: bool = False) -> Done:
    return Done("command", code, text, 1.0, killed)


def test_a_seed_gives_the_same_turns_and_every_pair_once():
    operations, faults = all_operations(), all_faults()
    pairs = {(one, other) for one in operations for other in faults if faults[other].suits(operations[one])}
    first = list(islice(turns(7, operations, faults), len(pairs)))
    assert first == list(islice(turns(7, operations, faults), len(pairs)))
    assert first != list(islice(turns(8, operations, faults), len(pairs)))
    assert {(turn.operation, turn.fault) for turn in first} == pairs


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        (0, "fine", ""),
        (3, "could not check", ""),
        (-11, "", CRASHED),
        (1, "Fatal Python error: Segmentation fault", CRASHED),
        (1, "plugin exited: signal: aborted", CRASHED),
        (1, "plugin exited: signal: killed", ""),
        (1, "Traceback (most recent call last):", "traceback"),
        (124, "…\ndid not end", "did not end"),
    ],
)
def test_no_command_may_crash_or_hang(code, text, found):
    assert [found in fault for fault in ended(code, text).faults()] == ([True] if found else [])


def test_a_killed_command_is_not_blamed_for_it():
    assert ended(-9, killed=True).faults() == []
    assert ended(-9).faults()


def test_lost_displaced_and_mixed_records_are_found():
    notes = [Noted(*ORDERS, 0, "1"), Noted(*ORDERS, 1, "2")]
    assert compared(notes, {ORDERS: {0: "1", 1: "2", 2: "3"}}) == ([], [])
    (lost,), mixed = compared(notes, {ORDERS: {0: "1"}})
    assert "record 2 is not at t.orders-0 offset 1: found None" in lost
    assert mixed == []
    lost, mixed = compared(notes, {ORDERS: {0: "2", 1: "1"}})
    assert len(lost) == 2
    assert mixed
    assert compared(notes, {ORDERS: {0: "1", 1: "2", 2: "2"}})[1]  # written twice


@pytest.fixture
def traffic(tmp_path) -> Traffic:
    return Traffic(Notes(tmp_path / "acknowledged"), Notes(tmp_path / "given"))


def note(notes: Notes, offset: int, place=ORDERS, end="\n") -> None:
    with notes.file.open("a") as file:
        file.write(f"{place[0]} {place[1]} {offset} {offset + 1}{end}")


def test_a_record_that_the_group_was_not_given_is_found(traffic):
    for offset in (0, 1, 0, 1, 2):  # again is no loss
        note(traffic.given, offset)
    traffic.hear()
    assert traffic.skipped == []
    note(traffic.given, 4)
    traffic.hear()
    assert traffic.skipped == ["the group was given 4 of t.orders-0 before 3"]


def test_silent_writers_and_readers_are_found(traffic):
    for place in PLACES:
        note(traffic.acknowledged, 0, place)
        note(traffic.given, 0, place)
    traffic.hear()
    since = dict(traffic.last)
    assert len(traffic.stalled(since)) == len(PLACES)  # nothing new
    for place in PLACES:
        note(traffic.acknowledged, 1, place)
    traffic.hear()
    assert traffic.stalled(since) == []
    assert traffic.stalled({}) == []
    assert "the group was not given all of t.orders-0" in traffic.stalled(dict(traffic.last))


def test_a_line_that_is_being_written_waits(traffic):
    note(traffic.acknowledged, 0, end="")
    assert traffic.acknowledged.new() == []
    with traffic.acknowledged.file.open("a") as file:
        file.write("\n")
    assert [one.offset for one in traffic.acknowledged.new()] == [0]


def audited(*found, unknown=()):
    findings = [{"rule": rule, "resource": name} for rule, name in found]
    return {"findings": findings, "couldNotCheck": list(unknown)}


def test_an_audit_reports_the_difference_or_what_it_could_not_check():
    assert audit.judged(audited(audit.PLANTED), 1, drifted=False) == []
    assert audit.judged(audited(audit.PLANTED, ("KTA204", "t.orders")), 1, drifted=False) == []
    assert audit.judged(audited(unknown=["topics"]), 3, drifted=False) == []
    assert audit.judged(audited(("KTA201", "t.orders"), unknown=["settings"]), 1, drifted=False) == []
    assert audit.judged(audited(("KTA201", "t.orders")), 1, drifted=False)
    assert audit.judged(audited(), 3, drifted=False)
    assert audit.judged(audited(audit.PLANTED, unknown=["settings"]), 3, drifted=False)
    assert audit.judged(audited(audit.PLANTED, ("KTA101", "t.orders")), 1, drifted=False)


def test_a_record_acknowledged_without_its_offset_must_be_somewhere(traffic):
    for offset in (0, -1):
        note(traffic.acknowledged, offset)
    traffic.hear()
    assert [one.offset for one in traffic.take()] == [0]  # nobody knows yet up to where to read
    note(traffic.acknowledged, 2)
    traffic.hear()
    taken = traffic.take()
    assert [one.offset for one in taken] == [-1, 2]
    assert traffic.pending == []
    assert compared(taken, {ORDERS: {1: "0", 2: "3"}}) == ([], [])
    assert compared(taken, {ORDERS: {2: "3"}})[0]


def checked(records, violations, *, complete=True):
    results = [{"check": "placement", "violations": 0}, {"check": "key-type", "violations": violations}]
    return {"complete": complete, "topics": [{"records": records, "results": results}]}


def test_a_check_counts_every_bad_record_or_could_not_check():
    assert check.judged(checked(47, 7), ended(1), 7, 47) == []
    assert check.judged(None, ended(3), 7, 47) == []
    assert check.judged(checked(20, 3, complete=False), ended(1), 7, 47) == []
    assert check.judged(checked(20, 3, complete=False), ended(3), 7, 47) == []
    assert check.judged(checked(0, 0), ended(3), 7, 47) == []  # a topic that could not be read
    assert check.judged(checked(47, 7), ended(3), 7, 47)
    assert check.judged(checked(48, 7, complete=False), ended(3), 7, 47)
    assert check.judged(checked(20, 8, complete=False), ended(1), 7, 47)
    assert check.judged(checked(47, 0), ended(0), 7, 47)
    assert check.judged(checked(47, 6), ended(1), 7, 47)
    assert check.judged(checked(46, 7), ended(1), 7, 47)
    assert check.judged(None, ended(1), 7, 47)


def reviewed(text, *unknown):
    return {"changes": [{"effects": [{"text": text}]}], "couldNotCheck": list(unknown)}


def test_a_review_has_the_live_size_or_could_not_check():
    live, estimated = (f"every record of t.records is deleted, about 1.5 KB{end}" for end in (" (live)", ""))
    assert review_live.judged(reviewed(live), 0) == []
    assert review_live.judged(reviewed(estimated, "sizes"), 3) == []
    assert review_live.judged(reviewed(estimated), 0)
    assert review_live.judged(reviewed(estimated, "sizes"), 0)
    assert review_live.judged(reviewed(live), 3)


def test_a_table_of_no_results_is_refused(tmp_path, monkeypatch):
    page = tmp_path / "reliability.md"
    page.write_text("<!-- torture -->\n100 turns\n<!-- end of torture -->\n")
    monkeypatch.setattr("torture.table.PAGE", page)
    monkeypatch.setattr("sys.argv", ["torture", "--table", "--results", str(tmp_path / "results")])
    with pytest.raises(SystemExit, match="results holds no results, so the table stays as it is"):
        main()
    assert "100 turns" in page.read_text()
    append(tmp_path / "results", Result(1, 0, "up", "latency", "plain", "brokers 1", 0, 9.0, 100))
    assert main() == 0
    assert "1 turns of the seeds 1" in page.read_text()


def test_results_are_counted_in_the_table(tmp_path):
    operations, faults = all_operations(), all_faults()
    results = [
        Result(1, 0, "up", "latency", "plain", "brokers 1", 0, 9.0, 100),
        Result(1, 1, "up", "latency", "secured", "brokers 2", 1, 9.0, 100, 12, [f"pulumi up: {CRASHED}", "lost"]),
        Result(1, 2, "audit", "latency", "plain", None, 1, 9.0, 100),
    ]
    for result in results:
        append(tmp_path / "results", result)
    assert load(tmp_path / "results") == results
    text = table(results, operations, faults)
    assert "3 turns" in text
    assert "lost: 12. Native crashes: 1." in text
    row = next(line for line in text.splitlines() if line.startswith("| latency "))
    cells = dict(zip(operations, row.split(" | ")[1:], strict=False))
    assert (cells["audit"], cells["up"].rstrip(" |")) == ("0", "2 (**1 broken**)")
