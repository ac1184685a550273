"""Writes the parts of the docs that come from the product itself: the reference, and the output of commands.

    python tools/docs.py            write them
    python tools/docs.py --check    end with 1 if any is out of date

In a guide, `<!-- run: kafka-topology … -->` above a fenced block means that the block is the output of that command.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from kafka_topology.cli.main import main as command_line
from kafka_topology.topology.alternatives import OneOf
from kafka_topology.topology.language import DOCUMENT, ENVIRONMENT, VERSION
from kafka_topology.topology.structures import Field, ListOf, MapOf, Record

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ("docs/language.md", "docs/reviews.md")
_RUN = re.compile(r"(<!-- run: (kafka-topology [^>]*?) -->\n```[a-z]*\n)(.*?)(```\n)", re.DOTALL)

HEAD = f"""\
# Reference of the topology language, version {VERSION}

<!-- Written by tools/docs.py from topology/language.py; do not edit. -->

Every section and field. A name that is not here is an error. See the [guide](language.md) for how they go together.
"""


def reference() -> str:
    parts = [HEAD]
    for record in _records(DOCUMENT):
        parts += [f"## {_heading(record)}\n", "".join(f"{line}\n" for line in _table(record))]
    return "\n".join(parts)


def _records(root: Record) -> list[Record]:
    """Every record of the language once, in the order in which a reader meets them."""
    found: list[Record] = []

    def visit(record: Record) -> None:
        if any(record is known for known in found):
            return
        found.append(record)
        if record is not ENVIRONMENT:
            for field in record.fields:
                for inner in _records_in(field.kind):
                    visit(inner)

    visit(root)
    return found


def _records_in(kind: Any) -> Iterator[Record]:
    if isinstance(kind, Record):
        yield kind
    elif isinstance(kind, ListOf | MapOf):
        yield from _records_in(kind.item)
    elif isinstance(kind, OneOf):
        yield from _records_in(kind.collection)


def _table(record: Record) -> Iterator[str]:
    if record is ENVIRONMENT:
        yield f"Any section of [{DOCUMENT.title}](#{_anchor(DOCUMENT)}); what is written here is laid over it."
        return
    if record.exactly_one:
        yield f"Exactly one of {', '.join(f'`{name}`' for name in record.exactly_one)}."
        yield ""
    yield "| field | holds | required | meaning |"
    yield "|---|---|---|---|"
    for field in record.fields:
        yield f"| `{field.name}` | {_cell(_type(field.kind))} | {_required(record, field)} | {_cell(field.doc)} |"


def _required(record: Record, field: Field) -> str:
    if field.name in record.exactly_one:
        return "one of them"
    return "yes" if field.required else ""


def _type(kind: Any) -> str:
    if isinstance(kind, Record):
        return f"[{kind.title}](#{_anchor(kind)})"
    if isinstance(kind, ListOf):
        return f"a list, each {_type(kind.item)}"
    if isinstance(kind, MapOf):
        return f"names, each with {_type(kind.item)}"
    if isinstance(kind, OneOf):
        return f"{_type(kind.scalar)}, or {_type(kind.collection)}"
    return str(kind.describe())


def _heading(record: Record) -> str:
    name = re.sub(r"^(?:an?|the) ", "", record.title)
    return name[0].upper() + name[1:]


def _anchor(record: Record) -> str:
    return re.sub(r"[^a-z0-9 -]", "", _heading(record).lower()).replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_outputs(guide: str) -> str:
    return _RUN.sub(lambda match: match[1] + _output(match[2]) + match[4], guide)


def _output(command: str) -> str:
    """What a reader sees in a terminal, in the folder of the repository."""
    _, *arguments = shlex.split(command)
    with contextlib.chdir(ROOT):
        result = CliRunner().invoke(command_line, arguments)
    return "".join(f"{line}\n" for line in result.output.rstrip("\n").split("\n"))


def documents() -> dict[str, Callable[[], str]]:
    """The generated files and what each should hold."""
    guides = {name: (lambda name=name: with_outputs((ROOT / name).read_text(encoding="utf-8"))) for name in GUIDES}
    return {"docs/reference.md": reference, **guides}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the generated parts of the docs.")
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 if any is out of date")
    check = parser.parse_args(arguments).check
    stale = 0
    for name, make in documents().items():
        file, text = ROOT / name, make()
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"{name}: out of date; run python tools/docs.py", file=sys.stderr)
        else:
            file.write_text(text, encoding="utf-8")
            print(f"{name}: written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
