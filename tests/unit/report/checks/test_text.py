"""A check's report on a terminal of 80 columns."""

from __future__ import annotations

import io

from rich.console import Console

from kafka_topology.report.checks.text import render
from kafka_topology.spark_checks.reading.offsets import Range
from kafka_topology.spark_checks.results.report import (
    CheckResult,
    Example,
    HotKeyCount,
    PartitionCount,
    Position,
    Report,
    ScannedRange,
    TopicReport,
)

UUID = "999xxx99-999x-9xx9-9x99-9xx9999x9999"
RESULTS = (
    CheckResult(
        "single-partition",
        "exact",
        violations=2,
        first=Position(0, 7),
        last=Position(3, 80),
        faults={"keys in several partitions": 2},
        examples=(Example(Position(0, 7), "keys in several partitions", UUID, partitions=(0, 3)),),
        cause="two producers",
        fix="use one",
    ),
    CheckResult(
        "order",
        "exact",
        violations=1,
        first=Position(1, 7),
        last=Position(1, 7),
        faults={"revision goes back": 1},
        examples=(Example(Position(1, 7), "revision goes back", UUID),),
    ),
    CheckResult(
        "skew",
        "exact",
        violations=1,
        first=Position(0, 0),
        last=Position(0, 99),
        faults={"partition too full": 1},
        partitions=(PartitionCount(0, 1, 0, 99),),
        notes=("the fullest partition holds 3.6 times the others",),
    ),
    CheckResult("cardinality", "exact", violations=1, faults={"number of keys above key.distinct": 1}),
    CheckResult("compaction", "bounded", violations=0, reason="only records since May", notes=("5 superseded",)),
)


def rendered(*topics: TopicReport) -> list[str]:
    console = Console(file=(out := io.StringIO()), width=80, highlight=False)
    console.print(render(Report(topics)))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_results_that_are_not_about_single_records() -> None:
    ranges = tuple(ScannedRange(Range(partition, 0, 100), 100) for partition in range(4))
    hot = (HotKeyCount(1, UUID, 120), HotKeyCount(0, "", 200))
    lines = rendered(
        TopicReport("shop.orders", 400, ranges, RESULTS, hot_keys=hot, notes=("read twice: too many keys",))
    )
    assert max(map(len, lines)) <= 80
    assert lines[:9] == [
        "shop.orders  400 records in 4 partitions",
        "  read twice: too many keys",
        "  single-partition  2 violations  2 keys in several partitions",
        "  order             1 violation   1 revision goes back",
        "  skew              1 violation   1 partition too full; the fullest partition",
        "                                  holds 3.6 times the others",
        "  cardinality       1 violation   number of keys above key.distinct",
        "  compaction        0 violations  none seen; bounded: only records since May; 5",
        "                                  superseded",
    ]
    text = "\n".join(lines)
    assert "single-partition  partition 0 offset 7 to partition 3 offset 80" in text
    assert f"0       7  {UUID}  0, 3\n    and 1 more" in text
    assert "order  partition 1 offset 7\n" in text
    assert "cardinality  the whole topic" in text
    at = lines.index("  hot keys")
    assert lines[at + 2 : at + 4] == [
        '            0      200  50.0%  ""',
        f"            1      120  30.0%  {UUID}",
    ]
    assert lines[-1] == "5 violations found."


def test_nothing_found() -> None:
    results = (CheckResult("order", "exact", violations=0, judged=7, exempt=3),)
    assert rendered(TopicReport("t", 10, (), results)) == [
        "t  10 records in 0 partitions",
        "  order  0 violations  fine; 3 exempt",
        "",
        "No violations in 1 topic.",
    ]


def test_what_was_not_judged_is_never_fine() -> None:
    results = (
        CheckResult(
            "order", "not-checked", unjudged=9, too_few_judged=True, reason="9 of 9 records could not be judged"
        ),
        CheckResult("key-field", "bounded", violations=0, judged=8, unjudged=1, min_judged=0.5, reason="1 of 9 open"),
        CheckResult(
            "nulls", "exact", violations=1, judged=9, tolerated=True, max_violations=0.2, faults={"null key": 1}
        ),
    )
    lines = rendered(TopicReport("t", 9, (), results))
    assert lines[1:6] == [
        "  order      could not check  9 of 9 records could not be judged; could not",
        "                              check: at least 100 % must be judged",
        "  key-field  0 violations     none seen; bounded: 1 of 9 open",
        "  nulls      1 violation      null key; tolerated: at most 20 %",
        "",
    ]
    assert lines[-1] == "1 check judged too few records. 1 violation tolerated."
