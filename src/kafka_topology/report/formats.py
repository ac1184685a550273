"""The forms a report can take, and where each of them goes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from kafka_topology.files import write_atomically

from .run import Run

FORMATS = {
    "text": "text",
    "json": "json_findings",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "gitlab": "gitlab",
    "markdown": "markdown",
}


class BadFormat(ValueError):
    """What was asked for is not a form, or cannot be written; the message says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """One form, to a file or, without one, to stdout."""

    name: str
    file: Path | None = None


def parse_outputs(texts: tuple[str, ...]) -> tuple[Output, ...]:
    """`sarif=out.sarif,text`: names, each with a file if it does not go to stdout."""
    outputs = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, given, file = part.partition("=")
        if name not in FORMATS:
            raise BadFormat(f"`{part}` is not a format; choose from {', '.join(FORMATS)}")
        if given and not file:
            raise BadFormat(f"`{part}` names no file; write {name}=FILE")
        outputs.append(Output(name, Path(file) if given else None))
    if sum(output.file is None for output in outputs) > 1:
        raise BadFormat("only one format can go to stdout; write the others to files, such as sarif=out.sarif")
    for output in outputs:
        if output.file is not None:
            _check_writable(output.file, output.name)
    return tuple(outputs)


def _check_writable(file: Path, name: str) -> None:
    if not file.parent.is_dir():
        raise BadFormat(f"{name}={file}: there is no folder {file.parent}")
    if file.is_dir():
        raise BadFormat(f"{name}={file}: it is a folder")


def render(name: str, run: Run) -> str:
    text: str = import_module(f"kafka_topology.report.{FORMATS[name]}").render(run)
    return text


def write(output: Output, run: Run) -> None:
    assert output.file is not None  # noqa: S101 - only files are written here
    try:
        write_atomically(output.file, render(output.name, run).encode())
    except OSError as error:
        raise BadFormat(f"{output.name}={output.file}: {(error.strerror or str(error)).lower()}") from error
