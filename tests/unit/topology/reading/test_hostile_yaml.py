"""Text that is meant to hurt the reader is refused quickly, with a place and a way out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.topology import Loaded

LoadText = Callable[..., Loaded]


def bomb(join: str) -> str:
    levels = "\n".join(f"  KT{100 + n}: &b{n} {join.replace('@', f'*b{n - 1}')}" for n in range(1, 30))
    return f"version: 1\nrules:\n  KT100: &b0 {{a: 1}}\n{levels}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(bomb("{a: @, b: @, c: @}"), id="nested aliases"),
        pytest.param(bomb("{x: [@, @, @, @]}"), id="nested aliases in lists"),
        pytest.param(bomb("{<<: [@, @, @]}"), id="merge keys"),
        pytest.param(
            f"version: 1\nrules:\n  KT100: {{a: &a [{'x, ' * 1000}x]}}\n  KT101: {{a: [{'*a, ' * 1000}*a]}}\n",
            id="wide",
        ),
        pytest.param(
            "version: 1\nrules:\n  KT100: &a {"
            + ", ".join(f"a{n}: 1" for n in range(1000))
            + "}\n  KT101:\n"
            + f"    <<: [{'*a, ' * 1000}*a]\n",
            id="wide merge keys",
        ),
    ],
)
def test_an_alias_bomb_is_refused(load_text: LoadText, text: str) -> None:
    (problem,) = load_text(text).problems
    assert problem.id == "KT001"
    assert problem.message.startswith("aliases expand ")
    assert "profiles" in problem.fix


def test_a_few_aliases_of_something_large_are_fine(load_text: LoadText) -> None:
    text = "version: 1\nrules:\n  KT100: &a {" + ", ".join(f"a{n}: 1" for n in range(1000)) + "}\n"
    assert load_text(text + "".join(f"  KT{200 + n}: *a\n" for n in range(10))).problems == ()


@pytest.mark.parametrize("text", ["&a [*a]", "version: 1\nrules: &a {KT100: *a}", "&a {<<: *a}", "&a {? *a : 1}"])
def test_an_alias_of_what_contains_it_is_refused(load_text: LoadText, text: str) -> None:
    (problem,) = load_text(text).problems
    assert problem.message == "an alias refers to the node that contains it"


def test_a_chain_of_aliases_leads_no_deeper_than_nesting(load_text: LoadText) -> None:
    rules = "\n".join(f"  ACME{n}: &a{n} {{a: *a{n - 1}}}" for n in range(1, 5000))
    (problem,) = load_text(f"version: 1\nrules:\n  ACME0: &a0 {{}}\n{rules}\n").problems
    assert problem.message == "the document is nested more than 64 levels deep"
    assert problem.location.line == 3 + 64


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param("version: 1\ntopics: " + "[" * 100_000, 2, 71, id="lists in brackets"),
        pytest.param("version: 1\ntopics: " + "{a: " * 100_000, 2, 257, id="mappings in braces"),
        pytest.param("version: 1\ntopics: " + '["]", ' * 100_000, 2, 381, id="closing brackets in quotes"),
        pytest.param("version: 1\ntopics: " + "[#]]]]]]\n" * 10_000, 64, 1, id="closing brackets in comments"),
        pytest.param("".join(" " * n + "a:\n" for n in range(1000)), 64, 64, id="mappings by indentation"),
        pytest.param("- " * 10_000 + "a", 1, 127, id="lists in one line"),
        pytest.param("? " * 10_000 + "a", 1, 127, id="complex names"),
    ],
)
def test_deep_nesting_is_refused(load_text: LoadText, text: str, line: int, column: int) -> None:
    (problem,) = load_text(text).problems
    assert (problem.id, problem.location.line, problem.location.column) == ("KT001", line, column)
    assert problem.message == "the document is nested more than 64 levels deep"


def test_deep_nesting_by_tabs_is_no_yaml(load_text: LoadText) -> None:
    (problem,) = load_text("-\t" * 10_000 + "a").problems
    assert (problem.id, problem.location.line, problem.location.column) == ("KT001", 1, 2)
    assert problem.message.startswith("invalid YAML: ")


def test_a_huge_text_is_refused(load_text: LoadText) -> None:
    text = "version: 1\ncluster:\n  name: |\n" + "    word word\n" * 50_000
    (problem,) = load_text(text).problems
    assert problem.message == "the text has 500,000 characters; at most 100,000 are allowed"
    assert (problem.location.line, problem.location.column) == (3, 9)


@pytest.mark.parametrize("value", ["config: {a: '@'}", "key: {type: string, field: '@'}", "'@': 1", "retention: @d"])
def test_no_place_takes_a_huge_text(load_text: LoadText, value: str) -> None:
    text = "version: 1\ntopics:\n  t: {partitions: 1, replication: 1,\n    " + value.replace("@", "9" * 200_000) + "}\n"
    problems = load_text(text).problems
    assert problems
    assert all(len(problem.message) < 300 and len(problem.fix) < 300 for problem in problems)


def test_a_line_of_a_hundred_megabytes_is_refused(load_text: LoadText) -> None:
    (problem,) = load_text(b"version: 1\nname: " + b"x" * 100_000_000).problems
    assert problem.message == "line 2 has 100,000,006 characters; at most 1,048,576 are allowed"
    assert problem.location.line == 2


@pytest.mark.parametrize(
    ("profiles", "message"),
    [
        ("a: {extends: a}", "profile `a` extends itself"),
        ("a: {extends: b}\n  b: {extends: a}", "profiles extend each other in a circle: a -> b -> a"),
        (
            "x: {extends: a}\n  a: {extends: b}\n  b: {extends: c}\n  c: {extends: a}",
            "profiles extend each other in a circle: a -> b -> c -> a",
        ),
    ],
)
def test_a_circle_of_profiles_is_reported_once(load_text: LoadText, profiles: str, message: str) -> None:
    topics = "topics: {t: {profile: a, partitions: 1, replication: 1}}"
    (problem,) = load_text(f"version: 1\nprofiles:\n  {profiles}\n{topics}\n").problems
    assert (problem.id, problem.message) == ("KT006", message)


def test_a_chain_of_ten_thousand_profiles_is_no_problem(load_text: LoadText) -> None:
    chain = "\n".join(f"  p{n}: {{extends: p{n + 1}}}" for n in range(10_000))
    text = (
        f"version: 1\nprofiles:\n{chain}\n  p10000: {{replication: 3}}\ntopics: {{t: {{profile: p0, partitions: 1}}}}\n"
    )
    loaded = load_text(text)
    assert loaded.problems == ()
    assert loaded.topology is not None
    assert loaded.topology.topics["t"].replication == 3


def test_thousands_of_unknown_names_are_reported_without_delay(load_text: LoadText) -> None:
    topics = "\n".join(f"  shop.topic-{n}: {{partitions: 1, replication: 1}}" for n in range(3000))
    names = ", ".join(f"shop.topik-{n}" for n in range(3000))
    problems = load_text(f"version: 1\ntopics:\n{topics}\nproducers: {{p: {{topics: [{names}]}}}}\n").problems
    assert len(problems) == 3000
    assert problems[0].fix == "did you mean `shop.topic-0`?"


def test_a_comment_full_of_blanks_is_read_in_no_time(load_text: LoadText) -> None:
    blanks = " " * 500_000
    assert load_text(f"version: 1\n# kafka-topology: ignore KT101 {blanks}x{blanks}\n").problems == ()
