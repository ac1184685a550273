"""`kafka-topology what-if --partitions`: another partition count, on the live records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .checking import COULD_NOT_CHECK, FINE, USAGE, Question, stop
from .loading import plain_console

if TYPE_CHECKING:
    from rich.text import Text

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


def _shown(found: Moves | NotTold) -> Text:
    from rich.text import Text

    from ..spark_checks.repartition import NotTold

    if isinstance(found, NotTold):
        return Text.assemble((found.topic, "bold"), "\n  ", (found.reason, "yellow"), "\n")
    facts = [
        ("keys", f"{found.keys:,}, of which {_part(found.moved_keys, found.keys)} would move"),
        ("records", f"{found.records:,}, of which {_part(found.moved_records, found.records)} have such a key"),
        ("skew", f"the fullest partition has {found.skew_before} times the average, then {found.skew_after}"),
    ]
    if found.unplaced:
        facts.append(("", f"{found.unplaced:,} records have a key that ties them to no partition"))
    if idle := sum(not part.records for part in found.after):
        facts.append(("idle", f"{idle:,} of {found.partitions:,} partitions would get no key"))
    lines = "".join(f"  {name:<7}  {said}\n" for name, said in facts)
    stay = "  Records already written stay where they are, so keys that move lose their order.\n"
    head = f"  {found.live} → {found.partitions} partitions\n"
    return Text.assemble((found.topic, "bold"), head, lines, (stay, "dim"))


def _part(number: int, whole: int) -> str:
    return f"{number:,} ({number / whole:.1%})" if whole else "0"
