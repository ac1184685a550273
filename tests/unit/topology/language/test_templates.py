"""`forEach` makes many topics of one entry. Findings show the template and the item."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.fixing.fixes import find_fixes
from kafka_topology.topology import Loaded, Topology
from kafka_topology.topology.language import templates
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.show import as_plain
from kafka_topology.validators import run

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]

LIST = """\
version: 1
topics:
  shop.first: {partitions: 1, replication: 1}
  shop.${each}.events:
    forEach: [orders, bills]
    description: Events of ${each}.
    partitions: 6
    replication: 3
  shop.last: {partitions: 1, replication: 1}
"""
MAPS = """\
version: 1
topics:
  shop.${each.region}:
    forEach:
      - {region: eu, partitions: 6, retention: 7d}
      - {region: us, partitions: 12, retention: 30d}
    partitions: ${each.partitions}
    replication: 3
    config: {retention.ms: "${each.retention}", client: 'for-${each.region}-${each.partitions}'}
"""


def problems(loaded: Loaded) -> list[tuple[str, int, str]]:
    return [(found.id, found.location.line, found.message) for found in loaded.problems]


def test_a_list_makes_a_topic_of_each_item_in_the_order_of_the_file(resolve: Resolve) -> None:
    topology = resolve(LIST)
    assert list(topology.topics) == ["shop.first", "shop.orders.events", "shop.bills.events", "shop.last"]
    bills = topology.topics["shop.bills.events"]
    assert (bills.description, bills.partitions, bills.location.line) == ("Events of bills.", 6, 4)
    assert bills.instance is not None
    assert (bills.instance.line, bills.instance.column) == (5, 23)
    assert topology.topics["shop.first"].instance is None


def test_a_list_of_mappings_has_several_variables(resolve: Resolve) -> None:
    topics = resolve(MAPS).topics
    assert {name: topic.partitions for name, topic in topics.items()} == {"shop.eu": 6, "shop.us": 12}
    assert topics["shop.us"].config == {"retention.ms": "2592000000", "client": "for-us-12"}
    assert topics["shop.us"].instance is not None
    assert topics["shop.us"].instance.line == 6
    assert topics["shop.us"].place("partitions").location.line == 7


def test_what_is_shown_is_the_expanded_topology(resolve: Resolve, load_text: LoadText) -> None:
    topology = resolve(MAPS)
    shown = yaml.safe_dump(as_plain(topology))
    assert "each" not in shown.lower()
    assert load_text(shown).topology == topology


def test_other_resources_refer_to_the_instances(resolve: Resolve, load_text: LoadText) -> None:
    resolve(LIST + "producers: {p: {topics: [shop.orders.events]}}\n")
    ((rule, line, _),) = problems(load_text(LIST + "producers: {p: {topics: [shop.order.events]}}\n"))
    assert (rule, line) == ("KT006", 10)


def test_an_environment_changes_instances_one_by_one_or_with_a_template(resolve: Resolve) -> None:
    text = LIST + (
        "environments:\n  dev:\n    topics:\n      shop.${each}.events: {forEach: [orders, bills], partitions: 1}\n"
        "      shop.orders: {partitions: 2, replication: 1}\n"
    )
    topics = resolve(text, "dev").topics
    assert (topics["shop.orders.events"].partitions, topics["shop.bills.events"].partitions) == (1, 1)
    assert topics["shop.orders.events"].description == "Events of orders."


def test_profiles_apply_to_instances(resolve: Resolve) -> None:
    text = LIST.replace("    partitions: 6\n", "    profile: big\n") + "profiles: {big: {partitions: 60}}\n"
    assert resolve(text).topics["shop.bills.events"].partitions == 60


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("[orders, bills]", "[]", ("KT003", 5, "expected 1 to 1,000 items, found an empty list")),
        (
            "[orders, bills]",
            "orders",
            ("KT003", 5, "expected a list of values, or of mappings of value"),
        ),
        ("[orders, bills]", "[orders, orders]", ("KT004", 5, "this item is a duplicate; line 5 has it already")),
        (
            "[orders, bills]",
            "[orders, [bills]]",
            ("KT003", 5, "expected a value, or a mapping of values"),
        ),
        ("[orders, bills]", "[orders, ~]", ("KT003", 5, "expected a value, or a mapping of values, found nothing")),
        ("[orders, bills]", "[orders, {a: b}]", ("KT003", 5, "the items differ in their variables: a")),
        (
            "shop.${each}.events",
            "shop.events",
            ("KT003", 4, "the name has no placeholder, so every topic would have the same name"),
        ),
        ("of ${each}.", "of ${each.name}.", ("KT003", 6, "`${each.name}` has no value in the items of `forEach`")),
        ("of ${each}.", "of ${each + 1}.", ("KT003", 6, "`${each + 1}` has no value in the items of `forEach`")),
        (
            "shop.last:",
            "shop.${each}:",
            ("KT003", 9, "`${each}` has a meaning only in a topic with `forEach`"),
        ),
        ("    forEach: [orders, bills]\n", "", ("KT003", 4, "`${each}` has a meaning only in a topic with `forEach`")),
        ("partitions: 6", "partitions: six", ("KT003", 7, "expected a whole number from 1 to 1000000, found `six`")),
        (
            "shop.first",
            "shop.bills.events",
            ("KT004", 5, "`shop.bills.events` is a duplicate; line 3"),
        ),
    ],
)
def test_mistakes_are_located(load_text: LoadText, old: str, new: str, found: tuple[str, int, str]) -> None:
    assert LIST.count(old) == 1
    rule, line, message = found
    seen = problems(load_text(LIST.replace(old, new)))
    assert any(each[:2] == (rule, line) and each[2].startswith(message) for each in seen), seen
    assert load_text(LIST.replace(old, new)).problems[0].fix


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (", retention: 7d", "", ("KT003", 5, "the items differ in their variables: retention")),
        ('"${each.retention}"', "7d", ("KT003", 5, "the variable `retention` is not used in the topic")),
        (
            "partitions: ${each.partitions}",
            "partitions: ${each.partition}",
            ("KT003", 7, "`${each.partition}` has"),
        ),
        ("region: us", "region: eu", ("KT004", 6, "`shop.eu` is a duplicate; line 3 declares it already")),
        (
            "partitions: 12",
            "partitions: twelve",
            ("KT003", 7, "expected a whole number from 1 to 1000000"),
        ),
    ],
)
def test_mistakes_with_variables_are_located(
    load_text: LoadText, old: str, new: str, found: tuple[str, int, str]
) -> None:
    rule, line, message = found
    seen = problems(load_text(MAPS.replace(old, new)))
    assert any(each[:2] == (rule, line) and each[2].startswith(message) for each in seen), seen


def test_a_wrong_value_of_one_item_shows_template_and_item(load_text: LoadText) -> None:
    (problem,) = load_text(MAPS.replace("partitions: 12", "partitions: twelve")).problems
    assert problem.location.line == 7
    assert [(each.location.line, each.message) for each in problem.related] == [(6, "forEach makes shop.us from this")]


def test_merged_in_it_is_refused(load_text: LoadText) -> None:
    text = "version: 1\nx-t: &t {forEach: [a, b]}\ntopics: {t: {<<: *t, partitions: 1, replication: 1}}\n"
    ((rule, line, message),) = problems(load_text(text))
    assert (rule, line) == ("KT003", 2)
    assert "not merged into it" in message


def test_the_expansion_is_limited(load_text: LoadText, monkeypatch: pytest.MonkeyPatch) -> None:
    many = ", ".join(f"t{number}" for number in range(1_001))
    seen = problems(load_text(LIST.replace("orders, bills", many)))
    assert seen[0][2].startswith("expected 1 to 1,000 items")
    monkeypatch.setattr(templates, "MAX_VALUES", 10)
    monkeypatch.setattr(templates._Expansion, "__init__", _with_little(templates._Expansion.__init__))
    assert problems(load_text(LIST))[0][2] == "the templates make more than 10 values"


def _with_little(original):
    def make(self, *arguments):
        original(self, *arguments, 10)

    return make


def test_findings_of_rules_show_template_and_item(resolve: Resolve) -> None:
    topology = resolve(LIST.replace("replication: 3", "replication: 3\n    config: {min.insync.replicas: 3}"))
    findings = [each for each in run(topology).findings if each.id == "KT101"]
    assert [(each.resource, each.location.line) for each in findings] == [
        ("shop.bills.events", 9),
        ("shop.orders.events", 9),
    ]
    assert [(each.related[-1].location.line, each.related[-1].message) for each in findings] == [
        (5, "forEach makes shop.bills.events from this"),
        (5, "forEach makes shop.orders.events from this"),
    ]


@pytest.mark.parametrize("output", ["text", "json", "sarif", "github", "junit"])
def test_every_format_has_both_places(tmp_path: Path, output: str) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(MAPS.replace("    replication: 3\n", "    replication: 3\n    visibility: public\n"))
    done = CliRunner().invoke(main, ["validate", str(file), "--rule", "KT013", "--format", output])
    assert done.exit_code in (0, 1), done.output
    assert "forEach makes shop.us from this" in done.stdout
    if output == "json":
        (found, _) = json.loads(done.stdout)["findings"]
        assert (found["location"]["line"], found["related"][0]["location"]["line"]) == (3, 5)
    if output == "github":
        assert "t.yaml:6: forEach makes shop.us from this" in done.stdout


def test_a_suppression_on_the_template_holds_for_every_instance(resolve: Resolve) -> None:
    for text in (
        MAPS.replace("    replication: 3\n", "    replication: 3\n    ignore: {KT013: nobody}\n"),
        MAPS.replace("  shop.${", "  # kafka-topology: ignore KT013 nobody\n  shop.${"),
    ):
        outcome = run(resolve(text), select=lambda each: each in ("KT013", "KT011"))
        assert [each.id for each in outcome.findings] == []
        assert [each.finding.resource for each in outcome.suppressed] == ["shop.eu", "shop.us"]


def test_the_formatter_orders_a_template_and_keeps_its_placeholders() -> None:
    text = "version: 1\ntopics:\n  a.${each}:\n    replication: 3\n    partitions: 6\n    forEach: [x, y]\n"
    assert format_text(text) == (
        "version: 1\ntopics:\n  a.${each}:\n    forEach: [x, y]\n    partitions: 6\n    replication: 3\n"
    )
    assert format_text(MAPS) == MAPS


def fixes_of(tmp_path: Path, text: str):
    file = tmp_path / "topology.yaml"
    file.write_text("cluster: {brokers: 3}\n" + text)
    return find_fixes(file, None, lambda rule: rule == "KT101", lambda outcome: outcome.findings), file


def test_a_fix_that_every_instance_needs_is_made_once(tmp_path: Path) -> None:
    text = LIST.replace("replication: 3", "replication: 3\n    config: {min.insync.replicas: 3}")
    fixes, file = fixes_of(tmp_path, text)
    assert {each.finding.resource for each in fixes.fixed} == {"shop.orders.events", "shop.bills.events"}
    assert fixes.after[file].count("min.insync.replicas: 2") == 1


def test_a_fix_that_only_some_instances_need_is_refused(tmp_path: Path) -> None:
    text = MAPS.replace("partitions: 6, retention", "partitions: 3, retention").replace(
        "partitions: 12", "partitions: 5"
    )
    text = text.replace("    replication: 3\n", "").replace("partitions: ${each.partitions}", "partitions: 1")
    text = text.replace("    config:", "    replication: ${each.partitions}\n    config:").replace(
        "{retention.ms", "{min.insync.replicas: 3, retention.ms"
    )
    fixes, _ = fixes_of(tmp_path, text.replace("cluster: {brokers: 3}", "cluster: {brokers: 5}"))
    assert [each.finding.resource for each in fixes.fixed] == []
    assert ["not all of them need the fix" in each.reason for each in fixes.refused] == [True]


def test_a_value_from_an_item_is_not_fixed_in_the_template(tmp_path: Path) -> None:
    text = MAPS.replace("{retention.ms", '{min.insync.replicas: "${each.isr}", retention.ms')
    text = text.replace("region: eu", "region: eu, isr: 3").replace("region: us", "region: us, isr: 3")
    fixes, _ = fixes_of(tmp_path, text)
    assert [each.reason for each in fixes.refused] == ["the value comes from an item of `forEach`; change it there"] * 2
