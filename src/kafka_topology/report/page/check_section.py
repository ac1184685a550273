"""The section about the live records. Charts are tables with bars in them, so that nobody is left out."""

from __future__ import annotations

from collections import Counter

from kafka_topology.spark_checks.registry import descriptions
from kafka_topology.topology.model.words import counted

from .live.checks import CheckedTopic, CheckFile, Example, Result
from .markup.charts import chart, left_out, meter, table
from .markup.html import Html, el, name
from .subject import Subject

MOST_TOPICS = 100
MOST_PARTITIONS = 60
MOST_EXAMPLES = 10
MOST_HOT_KEYS = 20
_GRID = 24  # partitions on a side


def checks(subject: Subject) -> Html:
    file = subject.checks
    if file is None:
        how = "kafka-topology check PATH --bootstrap HOST:PORT --format json=checks.json"
        body = el("p", "The live records were not checked. Run ", el("code", how), " and pass its file with --check.")
        return subject.section("checks", "Record checks", body)
    # What is wrong or was not checked comes first.
    order = sorted(file.topics, key=lambda topic: (not topic.violations, not topic.unchecked))
    parts: list[Html] = [_verdict(file)]
    if file.rows_problem:
        parts.append(el("p", f"The violations as data are not complete: {file.rows_problem}", data_value="error"))
    elif file.rows:
        parts.append(el("p", f"Violations as data: {file.rows}"))
    parts += [_topic(topic) for topic in order[:MOST_TOPICS]]
    if len(order) > MOST_TOPICS:
        parts.append(el("p", f"{len(order) - MOST_TOPICS:,} more topics are in the file of the check.", class_="limit"))
    return subject.section("checks", "Record checks", *parts)


def _verdict(file: CheckFile) -> Html:
    said = [] if file.complete else ["The check was interrupted."]
    wrong = file.violations
    if wrong:
        said.append(f"{counted(wrong, 'violation')} found.")
    unreadable = sum(bool(topic.unreadable) for topic in file.topics)
    if unreadable:
        said.append(f"{counted(unreadable, 'topic')} could not be checked.")
    hidden = sum(bool(topic.hidden) for topic in file.topics)
    if hidden:
        said.append(f"Open transactions hide the end of {counted(hidden, 'topic')}.")
    skipped = file.not_checked
    if skipped:
        said.append(f"{counted(skipped, 'check')} {'was' if skipped == 1 else 'were'} not made.")
    short = file.too_few_judged
    if short:
        said.append(f"{counted(short, 'check')} judged too few records.")
    if file.not_understood:
        said.append(f"Not understood, and not shown: {counted(file.not_understood, 'part')} of the file.")
    if not file.topics:
        said.append("The file holds no topic.")
    if not file.is_fine:
        if not wrong:
            said.insert(0, "No violations in what was checked.")
        return el(
            "p",
            " ".join(said),
            class_="verdict",
            data_value="error" if wrong or unreadable or hidden or short else "warning",
        )
    return el("p", f"No violations in {counted(len(file.topics), 'topic')}.", class_="verdict", data_value="fine")


def _topic(topic: CheckedTopic) -> Html:
    title = el("h3", name(topic.topic))
    if topic.unreadable:
        return el(
            "div", title, el("p", f"Could not be checked: {topic.unreadable}", data_value="error"), class_="checked"
        )
    records = "an unknown number of records" if topic.records is None else counted(topic.records, "record")
    return el(
        "div",
        title,
        el("p", f"{records} in {counted(len(topic.partitions), 'partition')}"),
        *(el("p", said, data_value="warning") for said in _remarks(topic)),
        _results(topic),
        el(
            "div",
            _partitions(topic),
            *(_placement(result) for result in topic.results),
            _hot_keys(topic),
            class_="charts",
        ),
        *(_evidence(result) for result in topic.results),
        class_="checked",
    )


def _remarks(topic: CheckedTopic) -> tuple[str, ...]:
    return (*filter(None, [topic.partial]), *topic.gaps, *topic.hidden, *topic.notes)


def _results(topic: CheckedTopic) -> Html:
    rows = []
    for result in topic.results:
        number = "not checked" if result.violations is None else f"{result.violations:,}"
        rows.append(
            el(
                "tr",
                el("th", result.check, scope="row"),
                el("td", number, data_value=_tone(result)),
                el("td", _said(result)),
            )
        )
    return table(f"Checks of {topic.topic}", ("Check", "Violations", "Details"), rows)


def _tone(result: Result) -> str:
    if result.outcome == "could-not-check":
        return "error"
    if result.violations is None or result.outcome == "tolerated":
        return "warning"
    return "error" if result.violations else "fine"


def _said(result: Result) -> str:
    said = [f"{count:,} {fault}" for fault, count in result.faults.items()]
    if result.outcome in {"tolerated", "could-not-check"}:
        said.append(result.outcome.replace("-", " "))
    if result.unjudged:
        said.append(f"{result.unjudged:,} not judged")
    if result.reason:
        said.append(result.reason if result.violations is None else f"{result.status}: {result.reason}")
    if result.estimate:
        said.append(result.estimate)
    return "; ".join([*said, *result.notes]) or ("fine" if result.violations == 0 else result.status)


def _partitions(topic: CheckedTopic) -> Html | None:
    if not topic.partitions:
        return None
    wrong: Counter[int] = Counter()
    for result in topic.results:
        wrong.update(result.partitions)
    most = max(topic.partitions.values()) or 1
    shown = sorted(topic.partitions)[:MOST_PARTITIONS]
    rows = [
        el(
            "tr",
            el("th", str(partition), scope="row"),
            el("td", meter(topic.partitions[partition], most), class_="bar-cell"),
            el("td", f"{topic.partitions[partition]:,}", class_="number"),
            el("td", f"{wrong[partition]:,}" if wrong[partition] else "", class_="number", data_value="error"),
        )
        for partition in shown
    ]
    drawn = table(
        f"Records per partition of {topic.topic}", ("Partition", "", "Records", "Violations"), rows, class_="chart"
    )
    return chart("Records per partition", drawn, left_out(len(topic.partitions), MOST_PARTITIONS, "partition"))


def _placement(result: Result) -> Html | None:
    """Where misplaced records are against where they belong, as far as the examples show."""
    pairs = Counter(
        (example.partition, example.expected)
        for example in result.examples
        if example.partition is not None and example.expected is not None
    )
    if not pairs:
        return None
    actual = sorted({pair[0] for pair in pairs if pair[0] is not None})
    expected = sorted({pair[1] for pair in pairs if pair[1] is not None})
    if max(len(actual), len(expected)) > _GRID:
        return None
    most = max(pairs.values())
    rows = []
    for at in actual:
        cells = []
        for wanted in expected:
            count = pairs[at, wanted]
            cells.append(el("td", str(count) if count else "", data_heat=_heat(count, most) if count else None))
        rows.append(el("tr", el("th", f"in {at}", scope="row"), *cells))
    titles = ("Partition", *(f"belongs in {wanted}" for wanted in expected))
    drawn = table("Expected against actual partition", titles, rows, class_="grid")
    of = f"{counted(sum(pairs.values()), 'example')} of {counted(result.violations or 0, 'violation')}"
    return chart("Expected against actual partition", drawn, el("p", of, class_="hint"))


def _heat(count: int, most: int) -> int:
    return 1 + (3 * count - 1) // most


def _hot_keys(topic: CheckedTopic) -> Html | None:
    if not topic.hot_keys:
        return None
    hot = sorted(topic.hot_keys, key=lambda key: (-key.records, key.key, key.partition or 0))
    most = hot[0].records or 1
    rows = [
        el(
            "tr",
            el("th", el("code", key.key or '""'), scope="row"),
            el("td", _or_nothing(key.partition), class_="number"),
            el("td", meter(key.records, most), class_="bar-cell"),
            el("td", f"{key.records:,}", class_="number"),
        )
        for key in hot[:MOST_HOT_KEYS]
    ]
    drawn = table(f"Hot keys of {topic.topic}", ("Key", "Partition", "", "Records"), rows, class_="chart keys")
    return chart("Hot keys", drawn, left_out(len(hot), MOST_HOT_KEYS, "key"))


def _evidence(result: Result) -> Html | None:
    if not result.violations:
        return None
    parts = [el("summary", f"{result.check}: evidence")]
    described = descriptions().get(result.check)  # the file may come from a machine with other checks
    if described is not None:
        parts.append(el("p", el("b", "Expected: "), described.summary, " ", described.why))
    if result.cause:
        parts.append(el("p", el("b", "Likely cause: "), result.cause))
    if result.fix:
        parts.append(el("p", el("b", "Fix: "), result.fix))
    rows = [
        el(
            "tr",
            el("td", _partition_of(example), class_="number"),
            el("td", _or_nothing(example.offset), class_="number"),
            el("td", example.fault),
            el("td", el("code", "null" if example.key is None else example.key or '""')),
            el("td", _or_nothing(example.expected), class_="number"),
        )
        for example in result.examples[:MOST_EXAMPLES]
    ]
    if rows:
        titles = ("Partition", "Offset", "Fault", "Key", "Belongs in")
        parts.append(table(f"Examples of {result.check}", titles, rows))
    return el("details", *parts)


def _partition_of(example: Example) -> str:
    return ", ".join(map(str, example.partitions)) or _or_nothing(example.partition)


def _or_nothing(number: int | None) -> str:
    return "" if number is None else str(number)
