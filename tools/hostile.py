"""Measures small hostile inputs: what anybody can put into a pull request, and what it costs to read it.

python tools/hostile.py                   run all, and write the table of docs/untrusted-input.md
python tools/hostile.py NAME …            run some, and print what they cost
python tools/hostile.py --check           end with 1 if the table misses a case, without running one

Each case is a function that writes files into an empty folder and returns the arguments of the command. It must end by
itself, with the exit code and a sentence that the table states, in 5 seconds of the processor and 500 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "untrusted-input.md"
MOST_SECONDS, MOST_MEGABYTES = 5.0, 500
_WAIT_SECONDS = 240
_TABLE = re.compile(r"(<!-- hostile: written by tools/hostile.py -->\n).*?(<!-- end of hostile -->)", re.DOTALL)

Write = Callable[[Path], list[str]]
BASE = "version: 1\ntopics:\n  orders:\n    owner: a\n    partitions: 6\n    replication: 3\n"


@dataclass(frozen=True, slots=True)
class Case:
    """An input, the exit code of the command, and words of its answer."""

    about: str
    exit_code: int
    says: str
    write: Write


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    megabytes: int
    exit_code: int
    output: str


CASES: dict[str, Case] = {}


def case(about: str, exit_code: int, says: str) -> Callable[[Write], Write]:
    def kept(write: Write) -> Write:
        CASES[write.__name__] = Case(about, exit_code, says, write)
        return write

    return kept


def put(folder: Path, text: str, name: str = "t.yaml") -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def validate(folder: Path, text: str, *options: str) -> list[str]:
    put(folder, text)
    return ["validate", "t.yaml", *options]


def topics(count: int, fields: str = "partitions: 1, replication: 1") -> str:
    return "version: 1\ntopics:\n" + "".join(f"  t{number}: {{{fields}}}\n" for number in range(count))


def schema(folder: Path, text: str, name: str = "s.json") -> list[str]:
    """A topic with a value schema and a key that is a field of it, so the schema is read."""
    form = {"json": "json", "avsc": "avro", "proto": "protobuf"}[name.partition(".")[2]]
    put(folder, text, name)
    return validate(
        folder, f"{BASE}    key: {{type: string, field: id}}\n    value: {{format: {form}, schema: {name}}}\n"
    )


def compared(folder: Path, old: str, new: str, name: str = "s.json") -> list[str]:
    schema(folder / "old", old, name)
    schema(folder / "new", new, name)
    return ["diff", "old/t.yaml", "new/t.yaml"]


# Patterns and expressions.


@case("naming pattern `(a+)+$`", 1, "takes too long to match, so no name was checked")
def naming_pattern(folder: Path) -> list[str]:
    rule = "rules:\n  KT012: {severity: warning, topics: '(a+)+$', groups: '(.*.*.*.*.*.*.*)x'}\n"
    group = f"consumerGroups: {{{'b' * 240}: {{topics: [{'a' * 60}b.x]}}}}\n"
    return validate(folder, BASE.replace("orders", "a" * 60 + "b.x") + group + rule)


@case("200 CEL rules, each of 10⁸ steps", 1, "the expressions took longer than")
def many_slow_rules(folder: Path) -> list[str]:
    slow = "[1,2,3,4,5,6,7,8,9,10].all(a, " * 8 + "true" + ")" * 8
    return validate(
        folder, BASE + "rules:\n" + "".join(f"  X-{n}: {{for: topics, expect: '{slow}'}}\n" for n in range(200))
    )


@case("200 CEL rules that double a text 60 times", 1, "the expressions took longer than")
def many_greedy_rules(folder: Path) -> list[str]:
    greedy = "['xxxxxxxxxxxxxxxx']" + ".map(a,a+a)" * 60 + "==1"
    rules = "".join(f'  X-{n}: {{for: topics, expect: "{greedy}"}}\n' for n in range(200))
    return validate(folder, f"{BASE}rules:\n{rules}")


@case("20,000 CEL rules", 1, "none of them ran; expected at most 2,000")
def number_of_rules(folder: Path) -> list[str]:
    rules = "".join(f"  X-{n}: {{for: topics, expect: 'topic.partitions > 0'}}\n" for n in range(20_000))
    return validate(folder, f"{BASE}rules:\n{rules}")


@case("CEL rule with 1,900 parentheses", 1, "could not be evaluated")
def deep_rule(folder: Path) -> list[str]:
    return validate(folder, f"{BASE}rules:\n  X-1: {{for: topics, expect: '{'(' * 1900}true{')' * 1900}'}}\n")


@case("partitioner expression with 2,500 parentheses", 1, "with the allowed functions only")
def deep_expression(folder: Path) -> list[str]:
    deep = "(" * 2500 + "1" + ")" * 2500
    return validate(folder, f"{BASE}    key: {{type: string, partitioner: {{expression: '{deep}'}}}}\n")


# Very many of something.


@case("8,000 topics with findings, as text", 1, "8,000 errors")
def findings_as_text(folder: Path) -> list[str]:
    return validate(folder, topics(8000))


@case("5,000 topics with findings, as SARIF", 1, '"ruleId"')
def findings_as_sarif(folder: Path) -> list[str]:
    return validate(folder, topics(5000), "--format", "sarif")


@case("8,000 topics with findings, as Markdown", 1, "8,000 errors")
def findings_as_markdown(folder: Path) -> list[str]:
    return validate(folder, topics(8000), "--format", "markdown")


@case("2,500 topics on one line", 1, "2,500 errors")
def findings_on_one_line(folder: Path) -> list[str]:
    held = ", ".join(f"t{n}: {{partitions: 1, replication: 1}}" for n in range(2500))
    return validate(folder, f"version: 1\ntopics: {{{held}}}\n")


@case("5,000 times the same name", 2, "5,000 errors")
def same_name(folder: Path) -> list[str]:
    return validate(folder, "version: 1\ntopics: {" + ", ".join(["t: {partitions: 1}"] * 5_000) + "}\n")


@case("20,000 unknown fields of a topic", 2, "20,000 errors")
def unknown_fields(folder: Path) -> list[str]:
    return validate(folder, BASE + "".join(f"    partitionz{n}: 1\n" for n in range(20_000)))


@case("20,000 unknown sections", 2, "20,000 errors")
def unknown_sections(folder: Path) -> list[str]:
    return validate(folder, "version: 1\n" + "".join(f"topicz{n}: 1\n" for n in range(20_000)))


@case("20,000 unknown settings of a topic", 1, "errors")
def unknown_settings(folder: Path) -> list[str]:
    return validate(folder, f"{BASE}    config:\n" + "".join(f"      retention.mz{n}: 1\n" for n in range(20_000)))


@case("20,000 unknown settings of the brokers", 1, "KT301")
def unknown_broker_settings(folder: Path) -> list[str]:
    return validate(
        folder, "version: 1\ncluster:\n  defaults:\n" + "".join(f"    log.retention.mz{n}: 1\n" for n in range(20_000))
    )


@case("5,000 comments that suppress unknown rules", 1, "errors")
def unknown_suppressions(folder: Path) -> list[str]:
    held = "".join(
        f"  t{n}: {{partitions: 1, replication: 1}} # kafka-topology: ignore KTX{n} why\n" for n in range(5000)
    )
    return validate(folder, f"version: 1\ntopics:\n{held}")


@case("2,500 topics under other names", 1, "u2499")
def renamed(folder: Path) -> list[str]:
    put(folder, topics(2500))
    put(folder, topics(2500).replace("  t", "  u"), "new.yaml")
    return ["diff", "t.yaml", "new.yaml", "--format", "json"]


@case("5,000 files that are no topology", 2, "errors")
def many_files(folder: Path) -> list[str]:
    for number in range(5000):
        put(folder, "x", f"{number}.yaml")
    return ["validate", "."]


@case("forEach of 27,000,000 topics", 2, "forEach")
def many_from_a_template(folder: Path) -> list[str]:
    values = [", ".join(f"{letter}{n}" for n in range(300)) for letter in "abc"]
    each = f"{{x: [{values[0]}], y: [{values[1]}], z: [{values[2]}]}}"
    return validate(folder, f"version: 1\ntopics:\n  'a.{{x}}.{{y}}.{{z}}':\n    forEach: {each}\n    partitions: 1\n")


# YAML.


@case("aliases of aliases, 9¹² values", 2, "use profiles instead")
def alias_bomb(folder: Path) -> list[str]:
    levels = "".join(f"x-{n}: &x{n} {{" + ", ".join(f"k{k}: *x{n - 1}" for k in range(9)) + "}\n" for n in range(1, 13))
    return validate(folder, f"version: 1\nx-0: &x0 {{a: 1}}\n{levels}topics: {{orders: *x12}}\n")


@case("merge keys of merge keys", 2, "use profiles instead")
def merge_bomb(folder: Path) -> list[str]:
    levels = "".join(f"x-{n}: &x{n} {{<<: [{', '.join([f'*x{n - 1}'] * 9)}]}}\n" for n in range(1, 13))
    return validate(folder, f"version: 1\nx-0: &x0 {{a: 1}}\n{levels}topics: *x12\n")


@case("100,000 nested lists", 2, "a topology needs only a few")
def deep_lists(folder: Path) -> list[str]:
    return validate(folder, "version: 1\ntopics: " + "[" * 100_000 + "]" * 100_000)


@case("3,000 nested mappings", 2, "a topology needs only a few")
def deep_mappings(folder: Path) -> list[str]:
    return validate(folder, "version: 1\n" + "".join(" " * n + "a:\n" for n in range(3000)))


@case("number with 500,000 digits", 2, "write a whole number")
def long_number(folder: Path) -> list[str]:
    return validate(folder, BASE.replace("partitions: 6", "partitions: " + "9" * 500_000))


@case("duration with 500,000 digits", 2, "smaller")
def long_duration(folder: Path) -> list[str]:
    return validate(folder, f"{BASE}    retention: {'9' * 500_000}d\n")


@case("2,000,000,000 brokers, assigned partitions 0 to 2,000,000,000", 2, "errors")
def large_numbers(folder: Path) -> list[str]:
    groups = "consumerGroups: {g: {assign: {orders: '0-2000000000'}}}\n"
    return validate(folder, f"{BASE}cluster: {{brokers: 2000000000}}\n{groups}")


@case("name with 900,000 letters", 2, "error")
def long_name(folder: Path) -> list[str]:
    return validate(folder, f"version: 1\ntopics:\n  ? {'a' * 900_000}\n  : {{partitions: 1, replication: 1}}\n")


@case("60 unknown fields with 500,000 letters each", 2, "60 errors")
def long_values(folder: Path) -> list[str]:
    return validate(folder, BASE + "".join(f"    bad{n}: {'x' * 500_000}\n" for n in range(60)))


# Schemas.


@case("`allOf` in `allOf`, 40 levels, twice each", 3, "could not check")
def nested_all_of(folder: Path) -> list[str]:
    parts: dict[str, object] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(40)
    }
    text = json.dumps({"$defs": {**parts, "d40": {"type": "object"}}, "allOf": [{"$ref": "#/$defs/d0"}]})
    return compared(folder, text, text.replace('"object"', '"string"'))


@case("`allOf` with 15 levels of two parts, written out", 1, "id was string and is now integer")
def wide_all_of(folder: Path) -> list[str]:
    part: dict[str, object] = {"type": "object", "properties": {"id": {"type": "string"}}}
    for _ in range(15):
        part = {"allOf": [part, part]}
    text = json.dumps(part)
    return compared(folder, text, text.replace('"string"', '"integer"'))


@case("`anyOf` of 400 records against 400 others", 3, "could not compare")
def any_of(folder: Path) -> list[str]:
    old, new = (
        json.dumps({"anyOf": [{"type": "object", "properties": {f"{p}{n}": {"type": "string"}}} for n in range(400)]})
        for p in "ab"
    )
    return compared(folder, old, new)


@case("schema with 50,000 levels", 3, "it is nested too deeply")
def deep_schema(folder: Path) -> list[str]:
    return compared(folder, '{"properties":{"a":' * 50_000 + "{}" + "}}" * 50_000, "{}")


@case("schema with 330 levels", 1, "existing records")
def less_deep_schema(folder: Path) -> list[str]:
    deep = '{"properties":{"a":' * 330 + "%s" + "}}" * 330
    return compared(folder, deep % '{"type":"string"}', deep % '{"type":"integer"}')


@case("Avro schema with 20,000 levels", 1, "nested too deeply")
def deep_avro(folder: Path) -> list[str]:
    deep = '{"type":"record","name":"r","fields":[{"name":"id","type":' * 20_000
    return schema(folder, deep + '"string"' + "}]}" * 20_000, "s.avsc")


@case("`.proto` with 30,000 open messages", 3, "nested too deeply")
def open_messages(folder: Path) -> list[str]:
    return compared(folder, "message A {" * 30_000, 'syntax = "proto3";\nmessage A { string id = 1; }', "s.proto")


@case("`.proto` with 200,000 empty lines and 500,000 times `import`", 1, "is no statement of it")
def proto_lines(folder: Path) -> list[str]:
    return schema(folder, "\n" * 200_000 + "import " * 500_000, "s.proto")


@case("`.proto` with 300,000 open comments", 3, "is no statement of it")
def proto_comments(folder: Path) -> list[str]:
    message = 'syntax = "proto3";\nmessage A { string id = 1; }'
    return compared(folder, "/*" * 300_000 + message, message, "s.proto")


@case("schema that is a pipe", 2, "there is no file")
def schema_is_a_pipe(folder: Path) -> list[str]:
    os.mkfifo(folder / "p.json")
    return validate(folder, f"{BASE}    value: {{format: json, schema: p.json}}\n")


@case("schema with a `$ref` to a pipe and to a device", 0, "1 warning")
def ref_to_a_pipe(folder: Path) -> list[str]:
    os.mkfifo(folder / "p.json")
    (folder / "zero.json").symlink_to("/dev/zero")
    return schema(folder, '{"allOf": [{"$ref": "p.json"}, {"$ref": "zero.json"}, {"$ref": "/dev/zero"}]}')


@case("topology that is a link to a device", 2, "leads out of the topology's folder")
def topology_is_a_device(folder: Path) -> list[str]:
    put(folder, BASE)
    (folder / "u.yaml").symlink_to("/dev/zero")
    return ["validate", "."]


@case("3,000 schemas, each with a `$ref` to the next", 0, "1 warning")
def chain_of_schemas(folder: Path) -> list[str]:
    for number in range(3000):
        put(folder, f'{{"$ref":"s{number + 1}.json"}}', f"s{number}.json")
    return schema(folder, '{"$ref":"s0.json"}')


# Other files.


@case("folders in 900 folders", 2, "folders are nested too deeply")
def deep_folders(folder: Path) -> list[str]:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(900):
        os.mkdir("a", dir_fd=here)
        inner = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    put(folder, BASE)
    return ["validate", "."]


@case("baseline with 100,000 open brackets", 2, "baseline")
def deep_baseline(folder: Path) -> list[str]:
    put(folder, "[" * 100_000, "b.json")
    return validate(folder, BASE, "--baseline", "b.json")


def measured(name: str) -> Cost:
    """Run a case. The seconds are those of the processor, of the command and of every process that it started."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as made, tempfile.TemporaryFile() as output:
        arguments = CASES[name].write(Path(made))
        command = [str(Path(sys.executable).with_name("kafka-topology")), *arguments]
        process = subprocess.Popen(command, cwd=made, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        deadline, megabytes = time.monotonic() + _WAIT_SECONDS, 0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            megabytes = max(megabytes, *map(_megabytes, _with_children(process.pid)))
            if time.monotonic() > deadline:
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.02)
        _, status, used = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Cost(used.ru_utime + used.ru_stime, megabytes, process.returncode, text)


def _with_children(process: int) -> list[int]:
    try:
        return [process, *map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]
    except OSError:
        return [process]


def _megabytes(process: int) -> int:
    """The most memory so far. Not from `wait4`, which counts the memory of this tool before the command started."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) // 1024 if found else 0


def complaint(case: Case, cost: Cost, most_seconds: float = MOST_SECONDS) -> str:
    """What is wrong with the outcome; empty if nothing is."""
    if "Traceback" in cost.output or cost.exit_code != case.exit_code or case.says not in cost.output:
        shown = cost.output[-1500:]
        return f"expected exit code {case.exit_code} and `{case.says}`, got {cost.exit_code}:\n{shown}"
    if cost.seconds > most_seconds or cost.megabytes > MOST_MEGABYTES:
        return f"it took {cost.seconds:.1f} s and {cost.megabytes} MB"
    return ""


def table(costs: dict[str, Cost]) -> str:
    rows = [
        f"| {case.about} | {case.exit_code} | {costs[name].seconds:.1f} s | {costs[name].megabytes} MB |\n"
        for name, case in CASES.items()
    ]
    return "| input | exit code | processor | memory |\n|---|---|---|---|\n" + "".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *CASES])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        missing = [case.about for case in CASES.values() if f"| {case.about} |" not in PAGE.read_text()]
        sys.stderr.write("".join(f"{PAGE.relative_to(ROOT)} misses: {about}\n" for about in missing))
        return 1 if missing else 0
    costs: dict[str, Cost] = {}
    wrong = False
    for name in given.names or CASES:
        costs[name] = measured(name)
        reason = complaint(CASES[name], costs[name])
        wrong = wrong or bool(reason)
        sys.stdout.write(f"{name:28} {costs[name].seconds:5.1f} s {costs[name].megabytes:4} MB {reason}\n")
        sys.stdout.flush()
    if not given.names and not wrong:
        made = table(costs)
        PAGE.write_text(_TABLE.sub(lambda found: found[1] + made + found[2], PAGE.read_text()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
