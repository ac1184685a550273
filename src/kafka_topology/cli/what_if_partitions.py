"""`kafka-topology what-if --partitions`: another partition count, on the live records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .checking import COULD_NOT_CHECK, FINE, USAGE, Question, stop
from .loading import plain_console

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..spark_checks.repartition import Moves, NotTold


def show_moves(question: Question, partitions: int, *, as_json: bool) -> int:
    """Prints what was found, and gives the exit code."""
    try:
        told = _told(question, partitions)
    except KeyboardInterrupt:
        stop(COULD_NOT_CHECK, "interrupted: nothing can be told")
    if as_json:
        document = {"partitions": partitions, "topics": [each.to_json() for each in told]}
        click.echo(json.dumps(document, indent=2))
    else:
        console = plain_console()
        for each in told:
            console.print(_shown(each))
    return _exit_code(told)


def _exit_code(told: Sequence[Moves | NotTold]) -> int:
    from ..spark_checks.repartition import NotTold

    untold = [each for each in told if isinstance(each, NotTold)]
    if any(each.refused for each in untold):
        return USAGE
    return FINE if len(untold) < len(told) else COULD_NOT_CHECK


def _told(question: Question, partitions: int) -> tuple[Moves | NotTold, ...]:
    from ..spark_checks.repartition import NotTold, planned, repartition
    from .check_progress import shown_progress

    settings = question.spark_settings()
    reader, wanted = question.pinned()
    names = [topic.name for topic in wanted]
    pinned = reader.pin(names)
    # Spark takes seconds to start, and is not needed to say that nothing can be said.
    plans = [planned(topic, pinned[topic.name], partitions) for topic in wanted]
    if all(isinstance(plan, NotTold) for plan in plans):
        return tuple(plan for plan in plans if isinstance(plan, NotTold))
    with question.spark(settings) as running, shown_progress() as listener:
        return repartition(
            running.session, question.topology, partitions, reader=reader, topics=names, progress=listener
        )


def _shown(found: Moves | NotTold) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from ..spark_checks.repartition import NotTold

    if isinstance(found, NotTold):
        return Group(Text(found.topic, "bold"), Padding(Text(found.reason, "yellow"), (0, 0, 1, 2)))
    facts = Table.grid(padding=(0, 2))
    facts.add_row("keys", f"{found.keys:,}, of which {_part(found.moved_keys, found.keys)} would move")
    facts.add_row("records", f"{found.records:,}, of which {_part(found.moved_records, found.records)} have such a key")
    if found.unplaced:
        facts.add_row("", f"{found.unplaced:,} have a key that ties them to no partition")
    facts.add_row(
        "skew", f"the fullest partition has {found.skew_before} times the average now, then {found.skew_after}"
    )
    idle = sum(not part.records for part in found.after)
    if idle:
        facts.add_row("idle", f"{idle:,} of {found.partitions:,} partitions would get no key")
    head = Text.assemble((found.topic, "bold"), f"  {found.live} → {found.partitions} partitions")
    stay = Text("records already written stay where they are: order per key breaks for keys that move", "dim")
    return Group(head, Padding(Group(facts, stay), (0, 0, 1, 2)))


def _part(number: int, whole: int) -> str:
    return f"{number:,} ({number / whole:.1%})" if whole else "0"
