"""Writes what comes from the code: the reference, JSON Schemas, tables of record checks, and output in guides.

    python tools/docs.py            write them
    python tools/docs.py --check    end with 1 if any is out of date

In a guide, `<!-- run: kafka-topology … -->` above a fenced block means that the block is the output of that command.
The tables of record checks are between `<!-- checks: … -->` and `<!-- end of checks -->`, the table of formats of
findings is between `<!-- formats -->` and `<!-- end of formats -->`, and tables of what an audit compares, of what a
preflight asks, of what an import writes and of the access that each kind needs are between `<!-- kinds: … -->` and
`<!-- end of kinds -->`.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from kafka_topology.audit.registry import subjects as audit_subjects
from kafka_topology.cli.exits import Command, Exit
from kafka_topology.cli.main import main as command_line
from kafka_topology.importing.inventory import importers
from kafka_topology.preflight.registry import steps as preflight_steps
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.report.findings.formats import GROUP as FINDINGS_GROUP
from kafka_topology.report.findings.formats import finding_formats
from kafka_topology.report.preflight.formats import GROUP as PREFLIGHTS_GROUP
from kafka_topology.report.preflight.formats import preflight_formats
from kafka_topology.report.review.formats import GROUP as REVIEWS_GROUP
from kafka_topology.report.review.formats import review_formats
from kafka_topology.review.registry import change_kinds
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES, Side
from kafka_topology.topology.language.alternatives import OneOf
from kafka_topology.topology.language.document import DOCUMENT, ENVIRONMENT, VERSION
from kafka_topology.topology.language.schema import schema_text
from kafka_topology.topology.language.structures import EXTENSION, Field, ListOf, MapOf, Structure
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.resources import TITLES

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ("docs/language.md", "docs/reviews.md")
SCHEMA = "src/kafka_topology/topology/language/topology.schema.json"
FORMATS_PAGE = "docs/validation.md"
CHECKS_PAGE = "docs/checks.md"
KINDS_PAGES = ("docs/audit.md", "docs/import.md", "docs/preflight.md", "docs/resources.md")
FINDINGS_SCHEMA = "src/kafka_topology/report/findings/findings.schema.json"
REVIEW_SCHEMA = "src/kafka_topology/report/review/review.schema.json"
CHECKS_SCHEMA = "spark_checks/results/report.schema.json"
_RUN = re.compile(r"(<!-- run: (kafka-topology [^>]*?) -->\n```[a-z]*\n)(.*?)(```\n)", re.DOTALL)
_CHECKS = re.compile(r"(<!-- checks: ([a-z]+) -->\n).*?(<!-- end of checks -->\n)", re.DOTALL)
_FORMATS = re.compile(r"(<!-- formats -->\n).*?(<!-- end of formats -->\n)", re.DOTALL)
_KINDS = re.compile(r"(<!-- kinds: ([a-z]+) -->\n).*?(<!-- end of kinds -->\n)", re.DOTALL)
_CHANGE_KINDS = re.compile(r'("kind": \{\n +"enum": \[)(.*?)(\])', re.DOTALL)
_RESOURCE_KINDS = re.compile(r'("resourceKind": \{"enum": \[)(.*?)(\])', re.DOTALL)
_CHECK_IDS = re.compile(r'("check": \{.*?"enum": \[\n)(.*?)(\n +\])', re.DOTALL)

HEAD = f"""\
# Reference: topology language version {VERSION}, exit codes and output formats

<!-- Written by tools/docs.py from `kafka_topology.topology.language` and the command line; do not edit. -->

Look up every section and field of the language, then the [exit codes](#exit-codes),
[output formats](#output-formats) and [Pulumi stacks](#pulumi-stacks) of the command line. A field that is not listed
here is an error. The [guide](language.md) explains how the fields fit together.
"""
LIBRARY_TABLE = """\
## Libraries

What `library` of a producer or consumer group may be. Defaults are those of the version in the table, in the Java
client's terms; an empty cell means that the library has no such thing.
"""
EXIT_CODES = """\
## Exit codes

Every command ends with one of these codes. `local tool` passes on the code of the Kafka tool that it runs; Ctrl-C ends
a command with 130. A command whose output nobody reads any more, as in `kafka-topology rules | head -1`, ends quietly
with 141, as other tools do; only the shell's option `pipefail` shows it. Characters that the encoding of the output
does not have are printed as escapes, such as `\\u2192`.
"""
OUTPUT_FORMATS = """\
## Output formats

Pass a name to `--format`. `validate`, `audit` and `check` take several, each to stdout or to a file:
`--format sarif=out.sarif,text`. Other distributions add formats by the entry points below.

A file is written whole or not at all, in a folder that exists. A link stays a link; a pipe, a device or `/dev/stdout`
is written into. With exit code 2, a command refuses to write two results to one place, or over a file that it reads.
"""
STACKS = """\
## Pulumi stacks

These commands take `--stack NAME` and `--no-stack`, and read path, environment and cluster where `pulumi up` does:
{commands}.
[The provider](provider.md#use-the-stack-in-other-commands) explains which stack they use, and what wins.
"""


def reference() -> str:
    parts = [HEAD]
    for structure in _structures(DOCUMENT):
        parts += [f"## {_heading(structure)}\n", "".join(f"{line}\n" for line in _table(structure))]
    parts += [LIBRARY_TABLE, "".join(f"{line}\n" for line in _libraries())]
    parts += [EXIT_CODES, "".join(f"{line}\n" for line in _exit_codes())]
    parts += [OUTPUT_FORMATS, "".join(f"{line}\n" for line in _output_formats())]
    parts.append(STACKS.replace("{commands}", ", ".join(_commands_with_stacks())))
    return "\n".join(parts)


_SHOWN_DEFAULTS: tuple[tuple[Side, str], ...] = (
    ("producer", "acks"),
    ("producer", "enable.idempotence"),
    ("producer", "retries"),
    ("consumer", "enable.auto.commit"),
    ("consumer", "auto.offset.reset"),
    ("consumer", "isolation.level"),
)


def _libraries() -> Iterator[str]:
    yield f"| library | version | {' | '.join(f'`{name}`' for _, name in _SHOWN_DEFAULTS)} | partitioner |"
    yield f"|---|---|{'---|' * len(_SHOWN_DEFAULTS)}---|"
    newest = catalogue(VERSIONS[-1])
    for library in LIBRARIES.values():
        cells = []
        for side, name in _SHOWN_DEFAULTS:
            value = library.default(side, name, {})
            if value is None and library.has_java_names:
                value = newest.scope(side)[name].default
            cells.append(value or "")
        version = library.version or f"Kafka {newest.version}"
        yield f"| `{library.name}` | {version} | {' | '.join(cells)} | `{library.partitioner}` |"


def _exit_codes() -> Iterator[str]:
    yield "| code | meaning |"
    yield "|---|---|"
    for code in Exit:
        yield f"| {code.value} | {_cell(code.meaning)} |"
    yield ""
    yield f"| command | {' | '.join(str(code.value) for code in Exit)} |"
    yield f"|---|{'---|' * len(Exit)}"
    with click.Context(command_line) as context:
        for name, command in _commands(command_line, context):
            if isinstance(command, Command):
                meanings = (_cell(command.exits.get(code, "")) for code in Exit)
                yield f"| `{name}` | {' | '.join(meanings)} |"


def _commands_with_stacks() -> Iterator[str]:
    with click.Context(command_line) as context:
        for name, command in _commands(command_line, context):
            if any("--no-stack" in parameter.opts for parameter in command.params):
                yield f"`{name}`"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", each) for inner, each in _commands(command, context))
        elif command is not None:
            yield name, command


def _output_formats() -> Iterator[str]:
    yield "| of | format | | entry points |"
    yield "|---|---|---|---|"
    families = (
        ("findings: `validate`, `audit`, `check`", finding_formats().by_name, FINDINGS_GROUP),
        ("reviews: `diff`, `review`", review_formats().by_name, REVIEWS_GROUP),
        ("`preflight`", preflight_formats().by_name, PREFLIGHTS_GROUP),
    )
    for subject, formats, group in families:
        for number, found in enumerate(formats.values()):
            first = number == 0
            description = _cell(found.description)
            yield f"| {subject if first else ''} | `{found.name}` | {description} | {f'`{group}`' if first else ''} |"


def _structures(root: Structure) -> list[Structure]:
    """Every structure of the language once, in the order in which a reader meets them."""
    found: list[Structure] = []

    def visit(structure: Structure) -> None:
        if any(structure is known for known in found):
            return
        found.append(structure)
        if structure is not ENVIRONMENT:
            for field in structure.fields:
                for inner in _structures_in(field.kind):
                    visit(inner)

    visit(root)
    return found


def _structures_in(kind: Any) -> Iterator[Structure]:
    if isinstance(kind, Structure):
        yield kind
    elif isinstance(kind, ListOf | MapOf):
        yield from _structures_in(kind.item)
    elif isinstance(kind, OneOf):
        yield from _structures_in(kind.collection)


def _table(structure: Structure) -> Iterator[str]:
    if structure is ENVIRONMENT:
        yield f"Any section of [{DOCUMENT.title}](#{_anchor(DOCUMENT)}); what is written here is laid over it."
        return
    if structure.exactly_one:
        yield f"Exactly one of {', '.join(f'`{name}`' for name in structure.exactly_one)}."
        yield ""
    yield "| field | holds | required | meaning |"
    yield "|---|---|---|---|"
    for field in structure.fields:
        yield f"| `{field.name}` | {_cell(_type(field.kind))} | {_required(structure, field)} | {_cell(field.doc)} |"
    if structure.has_extensions:
        yield f"| `{EXTENSION}…` | any value | | Not read: a place for YAML anchors. |"


def _required(structure: Structure, field: Field) -> str:
    if field.name in structure.exactly_one:
        return "one of them"
    return "yes" if field.required else ""


def _type(kind: Any) -> str:
    if isinstance(kind, Structure):
        return f"[{kind.title}](#{_anchor(kind)})"
    if isinstance(kind, ListOf):
        return f"a list, each {_type(kind.item)}"
    if isinstance(kind, MapOf):
        return f"names, each with {_type(kind.item)}"
    if isinstance(kind, OneOf):
        return f"{_type(kind.scalar)}, or {_type(kind.collection)}"
    return str(kind.describe())


def _heading(structure: Structure) -> str:
    name = re.sub(r"^(?:an?|the) ", "", structure.title)
    return name[0].upper() + name[1:]


def _anchor(structure: Structure) -> str:
    return re.sub(r"[^a-z0-9 -]", "", _heading(structure).lower()).replace(" ", "-")


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


def with_checks(page: str) -> str:
    tables = {"table": _checks_table, "metrics": _metrics_table}
    return _CHECKS.sub(lambda part: part[1] + "".join(f"{row}\n" for row in tables[part[2]]()) + part[3], page)


def _checks_table() -> Iterator[str]:
    yield "| check | needs in the topology | a violation is |"
    yield "|---|---|---|"
    for check in builtin_checks():
        yield f"| `{check.id}` | {check.about.needs} | {check.about.violation} |"


def _metrics_table() -> Iterator[str]:
    yield "| check | metric | is |"
    yield "|---|---|---|"
    for check in builtin_checks():
        for name, meaning in check.about.metrics.items():
            yield f"| `{check.id}` | `{name}` | {meaning} |"


def with_formats(page: str) -> str:
    return _FORMATS.sub(lambda part: part[1] + "".join(f"{row}\n" for row in _formats_table()) + part[2], page)


def _formats_table() -> Iterator[str]:
    yield "| format | |"
    yield "|---|---|"
    for found in finding_formats().by_name.values():
        yield f"| `{found.name}` | {_cell(found.description)} |"


def with_check_ids(schema: str) -> str:
    ids = ",\n".join(f'{" " * 16}"{check.id}"' for check in builtin_checks())
    return _CHECK_IDS.sub(lambda part: part[1] + ids + part[3], schema, count=1)


def with_kinds(page: str) -> str:
    tables = {
        "audit": _audit_table,
        "import": _import_table,
        "preflight": _preflight_table,
        "privilege": _privilege_table,
    }
    return _KINDS.sub(lambda part: part[1] + "".join(f"{row}\n" for row in tables[part[2]]()) + part[3], page)


def _audit_table() -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for subject in audit_subjects():
        for what, compared in subject.compares.items():
            yield f"| {what} | {_cell(compared)} |"


def _preflight_table() -> Iterator[str]:
    yield "| step | asks | says no with | also shows |"
    yield "|---|---|---|---|"
    for step in preflight_steps():
        rules = sorted({*(check.id for check in step.checks if check.severity is Severity.ERROR), *step.blocks})
        named = _linked(rules) or "any error of a rule"
        shown = _linked(sorted(check.id for check in step.checks if check.severity is not Severity.ERROR))
        yield f"| {step.name} | {_cell(step.asks)} | {named} | {shown} |"


def _linked(rules: Iterable[str]) -> str:
    return " ".join(f"[{rule}](rules/{rule}.md)" for rule in rules)


def _import_table() -> Iterator[str]:
    yield "| kind | what is imported | limited by | left out by |"
    yield "|---|---|---|---|"
    for kind, importer in importers():
        limit = f"`--{importer.limited_by}`" if importer.limited_by is not None else ""
        without = f"`--without {importer.part}`" if importer.part is not None else ""
        yield f"| `{kind}` | {_cell(importer.about)} | {limit} | {without} |"


def _privilege_table() -> Iterator[str]:
    yield "| kind | on the cluster | on topics | on groups |"
    yield "|---|---|---|---|"
    for kind in installed_kinds().values():
        for needs in kind.needs:
            cells = (f"`{kind.name}` {needs.when}", needs.cluster, needs.topics, needs.groups)
            yield f"| {' | '.join(_cell(cell.strip()) for cell in cells)} |"


def with_change_kinds(schema: str) -> str:
    return _CHANGE_KINDS.sub(lambda part: part[1] + _wrapped(change_kinds(), 12) + part[3], schema, count=1)


def with_resource_kinds(schema: str) -> str:
    """What rules and audits call the resources of findings; empty for a finding about none."""
    words = dict.fromkeys(("", *TITLES, *(word for subject in audit_subjects() for word in subject.words)))
    return _RESOURCE_KINDS.sub(lambda part: part[1] + _wrapped(words, 10) + part[3], schema, count=1)


def _wrapped(words: Iterable[str], indent: int) -> str:
    """Quoted words for JSON, on lines of at most about 120 characters."""
    text = ", ".join(f'"{word}"' for word in words)
    return "\n".join(textwrap.wrap(text, 104, subsequent_indent=" " * indent))


def _rewritten(name: str, rewrite: Callable[[str], str]) -> Callable[[], str]:
    return lambda: rewrite((ROOT / name).read_text(encoding="utf-8"))


def documents() -> dict[str, Callable[[], str]]:
    """The generated files and what each should hold."""
    guides = {name: _rewritten(name, with_outputs) for name in GUIDES}
    checks = {
        CHECKS_PAGE: _rewritten(CHECKS_PAGE, with_checks),
        CHECKS_SCHEMA: _rewritten(CHECKS_SCHEMA, with_check_ids),
    }
    kinds = {
        **{name: _rewritten(name, with_kinds) for name in KINDS_PAGES},
        REVIEW_SCHEMA: _rewritten(REVIEW_SCHEMA, with_change_kinds),
        FINDINGS_SCHEMA: _rewritten(FINDINGS_SCHEMA, with_resource_kinds),
    }
    formats = {FORMATS_PAGE: _rewritten(FORMATS_PAGE, with_formats)}
    return {"docs/reference.md": reference, SCHEMA: schema_text, **checks, **kinds, **formats, **guides}


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
            print(f"{name}: out of date; run make generate", file=sys.stderr)
        else:
            file.write_text(text, encoding="utf-8")
            print(f"{name}: written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
