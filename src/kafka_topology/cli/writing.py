"""Where output goes: a file, written whole or not at all, or stdout. A terminal gets colours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kafka_topology.files import destination, why, why_not_writable, write_atomically
from kafka_topology.topology.model.outside import outside_code

if TYPE_CHECKING:
    from rich.console import Console

    from kafka_topology.report.findings.formats import Output
    from kafka_topology.report.formats import Format
    from kafka_topology.topology import Loaded

Subject = TypeVar("Subject")
# Wide enough that no message or path is ever broken where no person is looking.
_UNBROKEN = 10_000


def output_option(help_text: str = "Write to this file instead of stdout.", **attributes: Any) -> Callable[..., Any]:
    """`--output FILE`, as every command takes it. Refuses a folder, and a file in a folder that does not exist."""
    kind = click.Path(path_type=Path)
    return click.option("--output", metavar="FILE", type=kind, help=help_text, callback=_writable, **attributes)


def _writable(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    problem = why_not_writable(file) if file is not None else ""
    if problem:
        raise click.BadParameter(problem)
    return file


def files_of(path: Path, loaded: Loaded) -> Iterator[Path]:
    """Every file that a topology was read from: its own, those it includes, its schemas, and those that are broken."""
    is_folder = path.is_dir()
    if not is_folder:
        yield path
    yield from (file.path for file in loaded.files)
    yield from (Path(problem.location.file) for problem in loaded.problems)
    if loaded.topology is not None:
        root = path if is_folder else path.parent
        yield from (root / name for name in loaded.topology.schemas)


def keep_inputs(output: Path | None, inputs: Iterable[Path | None], option: str = "--output") -> None:
    """End with wrong usage if the output would overwrite a file that the command reads."""
    if output is None:
        return
    if destination(output) in {destination(file) for file in inputs if file is not None}:
        message = f"{output} is also an input, which would be overwritten; name another file"
        raise click.BadParameter(message, param_hint=option)


def plain_console(*, stderr: bool = False) -> Console:
    """Colour and line breaks on a terminal only; programs that read the output get one line for each line."""
    from .consoles import safe_console

    console = safe_console(stderr=stderr)
    return console if console.is_terminal else safe_console(stderr=stderr, width=_UNBROKEN)


def deliver(format_: Format[Subject], subject: Subject, file: Path | None, option: str = "--output") -> None:
    """Write a subject in a format, to a file or to stdout."""
    if file is None and format_.show is not None:
        format_.show(subject, plain_console())  # not as code of others: our streams end the program on a closed pipe
        return
    with outside_code():
        text = format_.render(subject)
    emit(text, file, option)


def write_outputs(
    outputs: Iterable[Output], rendered: Callable[[str], str], inputs: Iterable[Path | None] = ()
) -> None:
    """Write each format where it goes, unless that would overwrite one of the inputs."""
    held, wanted = list(inputs), [(output, _option_of(output)) for output in outputs]
    for output, option in wanted:
        keep_inputs(output.file, held, option)
    for output, option in wanted:
        emit(rendered(output.name), output.file, option)


def _option_of(output: Output) -> str:
    """The option that named the file, for messages."""
    given = click.get_current_context().params.get("output")
    return "--output" if given is not None and output.file == given else "--format"


def with_file(outputs: tuple[Output, ...], file: Path | None) -> tuple[Output, ...]:
    """`--output FILE` is the file of the only format that has none of its own."""
    if file is None:
        return outputs
    if all(output.file is not None for output in outputs):
        raise click.UsageError("--output names a file, but every format of --format has its own; leave one of them out")
    if destination(file) in {destination(output.file) for output in outputs if output.file is not None}:
        raise click.BadParameter(f"only one format can go to {file}", param_hint="--output")
    return tuple(replace(output, file=output.file or file) for output in outputs)


def shown_or_json(outputs: Iterable[Output], show: Callable[[Console], None], document: object) -> None:
    """Write the two formats that most results have: text, by what `show` prints, and JSON."""
    from kafka_topology.report.formats import as_plain_text

    for output in outputs:
        if output.name == "json":
            emit(json.dumps(document, indent=2, ensure_ascii=False) + "\n", output.file, "--format")
        elif output.file is not None:
            emit(as_plain_text(show), output.file, "--format")
        else:
            show(plain_console())


def emit(text: str, file: Path | None, option: str = "--output") -> None:
    if file is None:
        click.echo(text, nl=False)
    else:
        write_or_exit(file, text, option)


def write_or_exit(file: Path, text: str, option: str = "--output") -> None:
    """Write the whole file or nothing; end with wrong usage and the reason when it cannot be written."""
    problem = why_not_writable(file)
    if problem:
        raise click.BadParameter(problem, param_hint=option)
    try:
        write_atomically(file, text.encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.BadParameter(f"{file}: {why(error)}", param_hint=option) from error
