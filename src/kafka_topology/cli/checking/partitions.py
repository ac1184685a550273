"""`kafka-topology what-if --partitions`: another partition count, on the live records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...topology.model.words import counted
from ..exits import Exit, stop
from ..writing import shown_or_json
from .question import Question

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ...report.findings.formats import Output
    from ...spark_checks.repartition import Moves, NoAnswer


def show_moves(question: Question, partitions: int, outputs: Sequence[Output]) -> int:
    """Writes what was found, and gives the exit code."""
    try:
        answers = _asked(question, partitions)
    except KeyboardInterrupt:
        stop(Exit.COULD_NOT_CHECK, "interrupted: no result")
    document = {"partitions": partitions, "topics": [each.to_json() for each in answers]}

    def show(console: Console) -> None:
        for each in answers:
            console.print(_shown(each))

    shown_or_json(outputs, show, document)
    return _exit_code(answers)


def _exit_code(answers: Sequence[Moves | NoAnswer]) -> int:
    from ...spark_checks.repartition import NoAnswer

    open_ones = [each for each in answers if isinstance(each, NoAnswer)]
    if any(each.refused for each in open_ones):
        return Exit.UNUSABLE
    return Exit.FINE if len(open_ones) < len(answers) else Exit.COULD_NOT_CHECK


def _asked(question: Question, partitions: int) -> tuple[Moves | NoAnswer, ...]:
    settings = question.spark_settings()
    reader, wanted = question.pinned()  # before the imports: it names the missing extra
    from ...spark_checks.repartition import NoAnswer, planned, repartition
    from .progress import shown_progress

    names = [topic.name for topic in wanted]
    pinned = reader.pin(names)
    # Spark takes seconds to start, and is not needed when no topic can have an answer.
    plans = [planned(topic, pinned[topic.name], partitions) for topic in wanted]
    if all(isinstance(plan, NoAnswer) for plan in plans):
        return tuple(plan for plan in plans if isinstance(plan, NoAnswer))
    with question.spark(settings) as running, shown_progress() as listener:
        return repartition(
            running.session, question.topology, partitions, reader=reader, topics=names, progress=listener
        )


def _shown(found: Moves | NoAnswer) -> Text:
    from rich.text import Text

    from ...spark_checks.repartition import NoAnswer

    if isinstance(found, NoAnswer):
        return Text.assemble((found.topic, "bold"), "\n  ", (found.reason, "yellow"), "\n")
    facts = [
        ("keys", f"{found.keys:,}, of which {_part(found.moved_keys, found.keys)} would move"),
        ("records", f"{found.records:,}, of which {_part(found.moved_records, found.records)} have such a key"),
        ("skew", f"the fullest partition has {found.skew_before} times the average, then {found.skew_after}"),
    ]
    if found.unplaced:
        facts.append(("", f"{counted(found.unplaced, 'record')} may go to any partition"))
    if idle := sum(not part.records for part in found.after):
        facts.append(("idle", f"{idle:,} of {found.partitions:,} partitions would get no key"))
    if found.partial is not None:
        facts.append(("unseen", found.partial))
    lines = "".join(f"  {name:<7}  {said}\n" for name, said in facts)
    stay = "  Records already written stay where they are, so keys that move lose their order.\n"
    head = f"  {found.live} → {found.partitions} partitions\n"
    return Text.assemble((found.topic, "bold"), head, lines, (stay, "dim"))


def _part(number: int, whole: int) -> str:
    return f"{number:,} ({number / whole:.1%})" if whole else "0"
