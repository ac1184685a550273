"""The formats of findings, and where each of them goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kafka_topology.files import STDOUT, destination, why_not_writable
from kafka_topology.topology.model.outside import outside_code
from kafka_topology.topology.model.words import did_you_mean

from ..formats import Formats, find_formats

if TYPE_CHECKING:
    from ..run import Run

GROUP = "kafka_topology.formats"


class BadFormat(ValueError):
    """The option `--format` cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """One format, to a file or, without one, to stdout."""

    name: str
    file: Path | None = None


@cache
def finding_formats() -> Formats[Run]:
    """Every format of findings. Read once: installed distributions do not change while a program runs."""
    return find_formats("kafka_topology.report.findings", GROUP)


def parse_outputs(texts: tuple[str, ...], formats: Mapping[str, object] | None = None) -> tuple[Output, ...]:
    """`sarif=out.sarif,text`: names, each with a file if it does not go to stdout. `formats` if not of findings."""
    known = finding_formats().by_name if formats is None else formats
    outputs = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, given, file = part.partition("=")
        if name not in known:
            hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
            raise BadFormat(f"`{part}` is not a format; {hint}")
        if given and not file:
            raise BadFormat(f"`{part}` names no file; write {name}=FILE")
        outputs.append(Output(name, Path(file) if given else None))
    taken: set[str] = set()
    for output in outputs:
        problem = why_not_writable(output.file) if output.file is not None else ""
        if problem:
            raise BadFormat(f"{output.name}={output.file}: {problem}")
        place = STDOUT if output.file is None else destination(output.file)
        if place in taken and place == STDOUT:
            raise BadFormat("only one format can go to stdout; write the others to files, such as sarif=out.sarif")
        if place in taken:
            raise BadFormat(f"only one format can go to {output.file}; name another file for {output.name}")
        taken.add(place)
    return tuple(outputs)


def render(name: str, run: Run) -> str:
    with outside_code():
        return finding_formats().by_name[name].render(run)
