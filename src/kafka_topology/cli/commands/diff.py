"""`kafka-topology diff`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.report.review.formats import Presented

from ..arguments import environment_option
from ..completion import complete_versions
from ..exits import Command, Exit, finding_exits, stop
from ..loading import loaded_topology
from ..reviewing import (
    Source,
    finish,
    gate_options,
    line_address,
    link_base_option,
    refuse_for_markdown,
    review_formats_option,
    review_outputs,
    source,
    today,
    write_review,
)
from ..writing import files_of, output_option, plain_console

if TYPE_CHECKING:
    from kafka_topology.review.gate import Gate
    from kafka_topology.topology import Loaded

EPILOG = """\b
Examples:
  kafka-topology diff topology-old/ topology/
  kafka-topology diff main:topology HEAD:topology --env prod --format json
"""
EXITS = finding_exits("wrong usage, or a version cannot be read as a topology", live=True)


@click.command(name="diff", cls=Command, exits=EXITS, epilog=EPILOG)
@click.argument("base", shell_complete=complete_versions)
@click.argument("head", shell_complete=complete_versions)
@environment_option
@review_formats_option
@output_option()
@link_base_option
@gate_options
def command(
    *,
    base: str,
    head: str,
    environment: str | None,
    formats: tuple[str, ...],
    output: Path | None,
    link_base: str | None,
    gate: Gate,
    shows_all: bool,
) -> None:
    """Show what changes from BASE to HEAD, by risk.

    Each is a file, a folder, or REV:path in this git repository.
    """
    from kafka_topology.report.run import quoting
    from kafka_topology.review.result import Review
    from kafka_topology.review.run import Pair, review_pair

    outputs = review_outputs(formats, output)
    refuse_for_markdown(outputs)
    sources = source(base), source(head)
    before, after = (_loaded(each, environment) for each in sources)
    history = sources[0].revision.schema_history if sources[0].revision is not None else None
    pair = Pair(environment, before.topology, loaded_topology(after))
    compared = review_pair(replace(pair, history=history) if history is not None else pair)
    review = Review(
        subject=sources[1].path,
        base=sources[0].label,
        head=sources[1].label,
        reviews=(compared,),
        gate=gate,
        shows_all=shows_all,
        today=today(),
        declared=tuple(dict.fromkeys((*pair.after.environments, *(pair.before.environments if pair.before else ())))),
    )
    presented = Presented(review=review, folder=Path.cwd(), quote=quoting(after), address=line_address(link_base))
    on_disk = [(each, held) for each, held in zip(sources, (before, after), strict=True) if each.revision is None]
    inputs = [file for each, held in on_disk for file in files_of(Path(each.path), held)]
    write_review(presented, outputs, inputs)
    finish(review)


def _loaded(version: Source, environment: str | None) -> Loaded:
    from kafka_topology.report.findings.text import findings_text
    from kafka_topology.revisions import BadRevision

    try:
        loaded = version.load(environment)
    except BadRevision as error:
        stop(Exit.UNUSABLE, str(error))
    if loaded.topology is None:
        plain_console(stderr=True).print(findings_text(loaded.problems, loaded.line))
        stop(Exit.UNUSABLE, f"{version.label} cannot be read as a topology")
    return loaded
