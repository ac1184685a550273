"""Each rule's own examples: the good ones pass it, the bad ones are found at the stated line and column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.validators import Bad, Rule, builtin_rules, rules, validate

RULES = list(builtin_rules())

# Every fix that a bad example offers: the number of the example, the text that is replaced, and the new one.
# All other examples offer none. A fix that gets lost, appears or changes must be noted here.
FIXES: dict[str, list[tuple[int, str, str]]] = {
    "KT101": [(0, "3", "2"), (2, '" 03"', "2")],
    "KT102": [(0, "1", "2"), (4, "1", "2")],
    "KT106": [(0, "true", "false"), (1, '" TRUE "', "false")],
    "KT208": [(2, "allowed", "tombstones")],
    "KT303": [(0, "2d", "6h"), (2, "7d", "42h"), (4, "7d", "5m")],
    "KT308": [(1, "1h", "6d")],
    "KT317": [(0, "7d", "1d")],
    "KT401": [(0, "1", "all"), (1, "0", "all"), (2, "1", "all"), (3, "1", "all"), (4, "1", "all")],
    "KT402": [(0, "false", "true"), (1, "false", "true")],
    "KT403": [(0, "10", "5"), (5, "6", "5"), (6, "6", "5")],
    "KT404": [(0, "0", "2147483647"), (1, "0", "2147483647")],
    "KT405": [(0, "30s", "2m"), (1, "10s", "2m"), (3, "20s", "2m"), (4, "400", "2m"), (5, "10s", "2m")],
    "KT407": [(0, "1", "2")],
    "KT413": [(0, "5242880", "1048588"), (5, "5242880", "1048588")],
    "KT414": [(0, "gzip", "producer")],
    "KT415": [(1, "read_uncommitted", "read_committed")],
    "KT431": [(4, "6", "1")],
    "KT504": [(0, "5s", "3333ms"), (2, "20s", "15s")],
    "KT505": [(0, "3s", "6s"), (1, "10m", "5m"), (2, "2s", "6s"), (3, "10s", "45s")],
    "KT507": [(1, "read_uncommitted", "read_committed"), (2, "at_least_once", "exactly_once_v2")],
    "KT515": [(0, "1MiB", "5242880"), (2, "1KiB", "1048588")],
    "KT523": [(0, "5000", "1200")],
    "KT525": [(0, "1m", "500ms")],
    "KT801": [(0, "6", "12")],
}
# Examples whose finding has another severity than the rule's own.
OTHER_SEVERITY = {
    ("KT011", 2): Severity.WARNING,  # two rules in one comment
    ("KT011", 3): Severity.WARNING,  # a retired rule
    ("KT109", 1): Severity.WARNING,  # a default that nobody declared
    ("KT205", 1): Severity.ERROR,
    ("KT303", 2): Severity.ADVICE,  # equal
    ("KT303", 3): Severity.ADVICE,
    ("KT309", 2): Severity.WARNING,  # fetches
    ("KT309", 3): Severity.WARNING,
    ("KT313", 0): Severity.ERROR,  # removed
    ("KT316", 0): Severity.WARNING,  # no effect
    ("KT316", 5): Severity.WARNING,
    ("KT320", 2): Severity.WARNING,  # it may be compressed
    ("KT324", 2): Severity.WARNING,  # a clock that is ahead
    ("KT324", 3): Severity.WARNING,  # a way to empty a topic
    ("KT324", 4): Severity.WARNING,
    ("KT420", 2): Severity.ERROR,  # librdkafka does not start
    ("KT506", 2): Severity.ERROR,
    ("KT502", 6): Severity.ERROR,
    ("KT412", 2): Severity.WARNING,  # instances of one
    ("KT624", 0): Severity.ERROR,  # a private topic
    ("KT316", 7): Severity.WARNING,  # a default that nobody declared
    ("KT306", 3): Severity.WARNING,  # an alarm that comes too late
    ("KT306", 4): Severity.WARNING,  # as long as the outage
    ("KT707", 2): Severity.ADVICE,  # brokers of others
    ("KT402", 1): Severity.ERROR,
    ("KT402", 3): Severity.ERROR,  # exactly-once without transactions
    ("KT405", 3): Severity.WARNING,  # librdkafka starts
    ("KT712", 0): Severity.ERROR,  # nobody can join
    ("KT712", 1): Severity.ERROR,
    ("KT411", 2): Severity.ADVICE,  # librdkafka's
    ("KT412", 1): Severity.WARNING,
    ("KT413", 2): Severity.WARNING,  # one of several topics
    ("KT413", 3): Severity.ADVICE,  # compressed
    ("KT417", 4): Severity.WARNING,  # a newer client takes it
    ("KT411", 3): Severity.WARNING,
    ("KT413", 4): Severity.WARNING,  # another team's topic
    ("KT502", 2): Severity.ERROR,  # exactly-once
    ("KT502", 5): Severity.ERROR,
    ("KT505", 1): Severity.WARNING,
    ("KT505", 2): Severity.WARNING,
    ("KT509", 3): Severity.ADVICE,  # KafkaJS has no other
    ("KT512", 0): Severity.WARNING,  # perhaps a new principal
    ("KT521", 1): Severity.ADVICE,  # the brokers' selector
    ("KT545", 1): Severity.WARNING,  # an application may be older than its brokers
    ("KT603", 2): Severity.WARNING,  # from one host
    ("KT604", 0): Severity.ADVICE,
    ("KT422", 4): Severity.WARNING,  # it may send no record that large
    ("KT606", 1): Severity.ADVICE,  # perhaps a tenant
    ("KT618", 1): Severity.WARNING,  # less than All
    ("KT618", 2): Severity.WARNING,
    ("KT619", 1): Severity.ERROR,
    ("KT619", 3): Severity.ERROR,  # a readable password
    ("KT706", 3): Severity.ERROR,  # offsets
    ("KT206", 6): Severity.WARNING,  # it may place keys alike
    ("KT708", 1): Severity.ADVICE,  # a default that nobody declared
    ("KT708", 4): Severity.ADVICE,
}
# Other findings of an example: the misspelled field is also a missing one.
ALSO_FOUND = {("KT002", 0): [("KT003", "topology.yaml", 3, 11)]}

GOOD = [pytest.param(rule, text, id=f"{rule.id}-{n}") for rule in RULES for n, text in enumerate(rule.good)]
BAD = [pytest.param(rule, n, bad, id=f"{rule.id}-{n}") for rule in RULES for n, bad in enumerate(rule.bad)]
FIXED = [
    pytest.param(rule, n, old, new, id=f"{rule.id}-{n}") for rule in RULES for n, old, new in FIXES.get(rule.id, ())
]


def write(folder: Path, text: str, name: str = "topology.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    (folder / "order.schema.json").write_text("{}")  # the schema that examples refer to
    return file


def load_text(folder: Path, text: str, name: str = "topology.yaml") -> Topology:
    loaded = load(write(folder, text, name))
    assert loaded.topology is not None, [f"{p.location}: {p.message}" for p in loaded.problems]
    return loaded.topology


def findings_of(rule: Rule, folder: Path, text: str, before: str | None) -> list[Finding]:
    """Every finding of a run with this rule alone, whatever its id."""
    if rule.found_by == "loader":
        return list(load(write(folder, text)).problems)
    return judged(folder, text, before, [rule])


def judged(folder: Path, text: str, before: str | None, rules: list[Rule]) -> list[Finding]:
    topology = load_text(folder, text)
    earlier = load_text(folder, before, "before.yaml") if before is not None else None
    return list(validate(topology, before=earlier, rules=rules))


def found_in(rule: Rule, bad: Bad, folder: Path) -> list[Finding]:
    for name, text in bad.more_files.items():
        write(folder, text, name)
    return findings_of(rule, folder, bad.yaml, bad.before or rule.before)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], object]:
    """Each value of a document by its path; an empty mapping or list counts as a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {place: leaf for key, item in items for place, leaf in leaves(item, (*path, key)).items()} or {path: value}


@pytest.mark.parametrize(("rule", "text"), GOOD)
def test_a_good_example_passes(rule: Rule, text: str, tmp_path: Path) -> None:
    assert [f.message for f in findings_of(rule, tmp_path, text, rule.before)] == []


@pytest.mark.parametrize(("rule", "number", "bad"), BAD)
def test_a_bad_example_is_found_where_it_is(rule: Rule, number: int, bad: Bad, tmp_path: Path) -> None:
    found = found_in(rule, bad, tmp_path)
    also = ALSO_FOUND.get((rule.id, number), [])
    places = [(f.id, Path(f.location.file).name, f.location.line, f.location.column) for f in found]
    file = next(iter(bad.more_files)) if rule.id == "KT005" else "topology.yaml"  # the second of two declarations
    assert places == [*also, (rule.id, file, bad.line, bad.column)]
    finding = found[-1]
    assert not finding.rule_failed
    assert finding.severity is OTHER_SEVERITY.get((rule.id, number), rule.severity)
    assert finding.fix
    assert finding.resource or rule.found_by == "loader"


@pytest.mark.parametrize(("rule", "number", "bad"), BAD)
def test_a_bad_example_offers_the_declared_fix_or_none(rule: Rule, number: int, bad: Bad, tmp_path: Path) -> None:
    offered = [edit.text for finding in found_in(rule, bad, tmp_path) for edit in finding.edits]
    assert offered == [new for (example, _, new) in FIXES.get(rule.id, ()) if example == number]


@pytest.mark.parametrize(("rule", "number", "old", "new"), FIXED)
def test_a_fix_removes_the_finding_and_changes_nothing_else(
    rule: Rule, number: int, old: str, new: str, tmp_path: Path
) -> None:
    bad = rule.bad[number]
    before = bad.before or rule.before
    (edit,) = found_in(rule, bad, tmp_path)[0].edits
    at = edit.location
    assert (Path(at.file).name, at.line, at.column) == ("topology.yaml", bad.line, bad.column)
    assert at.line == at.end_line
    lines = bad.yaml.split("\n")
    line = lines[at.line - 1]
    assert line[at.column - 1 : at.end_column - 1] == old
    lines[at.line - 1] = line[: at.column - 1] + edit.text + line[at.end_column - 1 :]
    fixed = "\n".join(lines)

    assert findings_of(rule, tmp_path, fixed, before) == []
    was, now = leaves(yaml.safe_load(bad.yaml)), leaves(yaml.safe_load(fixed))
    changed = [(was.get(path), now.get(path)) for path in was.keys() | now.keys() if was.get(path) != now.get(path)]
    assert changed == [(yaml.safe_load(old), yaml.safe_load(new))]
    appeared = kinds(judged(tmp_path, fixed, before, RULES)) - kinds(judged(tmp_path, bad.yaml, before, RULES))
    assert not appeared, "the fix causes another finding"


def kinds(findings: list[Finding]) -> Counter[tuple[str, str, str]]:
    return Counter((finding.id, finding.kind, finding.resource) for finding in findings)


def test_what_is_declared_here_names_examples_that_exist() -> None:
    examples = {(rule.id, number) for rule in RULES for number in range(len(rule.bad))}
    assert {(rule, number) for rule, fixes in FIXES.items() for number, _, _ in fixes} <= examples
    assert OTHER_SEVERITY.keys() <= examples
    assert ALSO_FOUND.keys() <= examples


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_documented(rule: Rule) -> None:
    assert re.fullmatch(r"KT[0-9]{3}", rule.id)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.summary
    assert rule.why
    assert rule.fix
    assert rule.good
    assert rule.bad


def test_every_file_of_a_rule_is_tested_here() -> None:
    files = [file.stem.split("_")[0].upper() for file in Path(rules.__file__).parent.glob("*/kt*.py")]
    assert sorted(files) == sorted(rule.id for rule in RULES)


def test_ids_and_names_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_the_suppressions_of_good_examples_are_needed_under_all_rules(tmp_path: Path) -> None:
    rule = next(rule for rule in RULES if rule.id == "KT011")
    for text in rule.good:
        assert [f.message for f in validate(load_text(tmp_path, text)) if f.id == "KT011"] == []


# Not the keys of a mapping, and not what a name, text or version begins or ends with.
NUMBER = re.compile(r"(?<=[ \[])-?\d+(?=(?:ms|s|m|h|d|B|KiB|MiB|GiB|KB|MB|GB|TB)?(?:/s)?[,}\]\n])")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_fails_when_a_number_of_its_examples_or_options_is_zero(rule: Rule, tmp_path: Path) -> None:
    texts = [(text, rule.before) for text in rule.good] + [(bad.yaml, bad.before or rule.before) for bad in rule.bad]
    for text, before in texts:
        earlier = read(tmp_path / "before.yaml", before) if before is not None else None
        for zero in with_zeros(text, rule):
            topology = read(tmp_path / "topology.yaml", zero)
            if topology is not None:
                found = validate(topology, before=earlier, rules=[rule])
                assert [finding.message for finding in found if finding.rule_failed] == [], zero


def with_zeros(text: str, rule: Rule) -> Iterator[str]:
    for match in NUMBER.finditer(text):
        yield text[: match.start()] + "0" + text[match.end() :]
    units = {"duration": "0s", "size": "0B", "rate": "0B/s", None: "0"}
    for option in rule.options if "\nrules:" not in text else ():
        if option.measure is not None or isinstance(option.default, int):
            yield f"{text}rules:\n  {rule.id}: {{{option.name}: {units[option.measure]}}}\n"


def read(file: Path, text: str) -> Topology | None:
    file.write_text(text)
    return load(file).topology
