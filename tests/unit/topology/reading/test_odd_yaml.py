"""Text that editors, other systems and people write by accident: read as it is meant, or refused at the right place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_topology.topology import Loaded, Topology, load

LoadText = Callable[..., Loaded]
Resolve = Callable[..., Topology]
TOPIC = "{partitions: 1, replication: 1}"


def place(loaded: Loaded) -> tuple[str, int, int, str]:
    (problem,) = loaded.problems
    assert problem.fix
    return problem.id, problem.location.line, problem.location.column, problem.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(b"", ("KT001", 1, 1, "the file is empty"), id="empty"),
        pytest.param(b"\n\n  \n", ("KT001", 1, 1, "the file is empty"), id="blank"),
        pytest.param(b"# only a comment\n", ("KT001", 1, 1, "the file is empty"), id="comment only"),
        pytest.param(b"\xef\xbb\xbf", ("KT001", 1, 1, "the file is empty"), id="byte order mark only"),
        pytest.param(b"---\n...\n", ("KT001", 1, 1, "the file is empty"), id="empty document"),
        pytest.param(b"version: 1\n---\nversion: 1\n", ("KT001", 2, 1, "a second document"), id="documents"),
        pytest.param(b"version: 1\nowner: \xff\n", ("KT001", 2, 8, "byte 0xff is not UTF-8"), id="not UTF-8"),
        pytest.param("größe: ".encode() + b"\xe9", ("KT001", 1, 8, "byte 0xe9 is not UTF-8"), id="counts characters"),
        pytest.param("version: 1".encode("utf-16"), ("KT001", 1, 1, "the file is UTF-16, not UTF-8"), id="UTF-16"),
        pytest.param("version: 1".encode("utf-32"), ("KT001", 1, 1, "the file is UTF-32, not UTF-8"), id="UTF-32"),
        pytest.param(b"version: 1\n# \0\n", ("KT001", 2, 3, "the control character U+0000"), id="NUL"),
        pytest.param("version: 1\n# ü\x07".encode(), ("KT001", 2, 4, "the control character U+0007"), id="bell"),
        pytest.param("version: 1\n# \u2028x".encode(), ("KT001", 2, 3, "the line separator U+2028"), id="separator"),
        pytest.param(b"version: 1\ntopics:\n\tt: 1\n", ("KT001", 3, 1, "invalid YAML: while scanning"), id="tab"),
        pytest.param(
            b"version: 1\ntopics: {\n", ("KT001", 2, 10, "invalid YAML: while parsing a flow"), id="open brace"
        ),
        pytest.param(b'version: 1\nx: "abc\n', ("KT001", 2, 4, "invalid YAML: while scanning a"), id="open quote"),
        pytest.param(b"version: 1\nx: *nobody\n", ("KT001", 2, 4, "invalid YAML: found undefined alias"), id="alias"),
        pytest.param(b"version: 1\n x: 1\n", ("KT001", 2, 3, "invalid YAML: mapping values"), id="indentation"),
        pytest.param(b"version: 1\n%x\n", ("KT001", 2, 3, "invalid YAML: "), id="directive"),
        pytest.param(b"- version: 1\n", ("KT003", 1, 3, "expected a mapping"), id="a list"),
        pytest.param(b"hello\n", ("KT003", 1, 1, "expected a mapping"), id="a word"),
    ],
)
def test_what_is_no_topology_is_shown_where_it_goes_wrong(
    load_text: LoadText, text: bytes, expected: tuple[str, int, int, str]
) -> None:
    found = place(load_text(text))
    assert found[:3] == expected[:3]
    assert found[3].startswith(expected[3])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\xef\xbb\xbfversion: 1\n", id="byte order mark"),
        pytest.param(b"version: 1\r\ncluster:\r\n  name: x\r\n", id="CRLF"),
        pytest.param(b"version: 1\rcluster:\r  name: x\r", id="CR"),
        pytest.param(b"--- \nversion: 1\n...\n", id="document markers"),
        pytest.param(b"%YAML 1.2\n---\nversion: 1\n", id="YAML directive"),
        pytest.param(b'{"version": 1, "cluster": {"name": "x"}}', id="JSON"),
        pytest.param(b"version:\t1 \ncluster: {name: x}\t# tab\n", id="tabs between"),
        pytest.param(b"version: 1", id="no line break at the end"),
    ],
)
def test_what_is_meant_well_is_read(load_text: LoadText, text: bytes) -> None:
    assert load_text(text).problems == ()


@pytest.mark.parametrize(
    ("mark", "line_break"), [("", "\n"), ("\ufeff", "\n"), ("", "\r\n"), ("\ufeff", "\r\n"), ("", "\r")]
)
def test_places_do_not_depend_on_byte_order_mark_and_line_breaks(
    load_text: LoadText, mark: str, line_break: str
) -> None:
    loaded = load_text(mark + line_break.join(["verison: 1", "version: 1", "cluster:", "  disk: large", ""]))
    first, second = loaded.problems
    assert (first.location.line, first.location.column) == (1, 1)
    assert (second.location.line, second.location.column) == (4, 9)
    assert loaded.line(first.location) == "verison: 1"
    assert loaded.line(second.location) == "  disk: large"


def test_columns_count_characters_not_bytes(load_text: LoadText) -> None:
    text = 'version: 1\ntopics:\n  "Bestellungen-Größe-🚀": {partitions: x, replication: 1}\n'
    loaded = load_text(text)
    assert place(loaded)[1:3] == (3, 40)
    assert loaded.line(loaded.problems[0].location)[39:40] == "x"


def test_a_name_that_comes_twice_shows_both_places(load_text: LoadText) -> None:
    loaded = load_text(f"version: 1\ntopics:\n  t: {TOPIC}\n  u: {TOPIC}\n  t: {TOPIC}\n")
    assert place(loaded) == ("KT004", 5, 3, "`t` is a duplicate; line 3 has it already")
    (related,) = loaded.problems[0].related
    assert (related.location.line, related.location.column) == (3, 3)


def test_the_same_resource_in_two_files_shows_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"version: 1\ntopics:\n  t: {TOPIC}\nacls: []\n")
    (tmp_path / "b.yaml").write_text(f"version: 1\n\ntopics: {{u: {TOPIC}, t: {TOPIC}}}\n")
    (problem,) = load(tmp_path).problems
    assert (problem.id, str(problem.location)) == ("KT005", f"{tmp_path / 'b.yaml'}:3:46")
    assert problem.message == f"`t` is declared twice; first at {tmp_path / 'a.yaml'}:3:3"
    assert str(problem.related[0].location) == f"{tmp_path / 'a.yaml'}:3:3"


def test_a_field_of_the_cluster_in_two_files_shows_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\ncluster: {name: x}\nenvironments: {dev: {cluster: {disk: 1GB}}}\n")
    (tmp_path / "b.yaml").write_text("version: 1\ncluster: {name: y, controllers: 3}\n")
    (tmp_path / "c.yaml").write_text("version: 1\nenvironments: {dev: {cluster: {disk: 2GB}}}\n")
    first, second = load(tmp_path).problems
    assert first.message == f"cluster.`name` is declared twice; first at {tmp_path / 'a.yaml'}:2:11"
    assert second.message == f"environment dev: cluster.`disk` is declared twice; first at {tmp_path / 'a.yaml'}:3:32"


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("? [a, b]\n: 1", 3, "expected a name, found a list"),
        ("? {a: b}\n: 1", 3, "expected a name, found a mapping"),
        ("{a: b}: 1", 1, "expected a name, found a mapping"),
        ("~: 1", 1, "expected a name, found nothing"),
        ("!!str topics: {}", 1, "expected a name, found the tag tag:yaml.org,2002:str"),
        ("topics: !!map {}", 9, "expected a mapping of names, found an empty mapping"),
        ("topics: !mine {}", 9, "expected a mapping of names, found an empty mapping"),
        ("cluster: {name: !!python/object:os.system x}", 17, "expected text, found the tag tag:yaml.org,2002:python"),
        ("1: 2", 1, "a topology has no field `1`"),
        ("true: 2", 1, "a topology has no field `true`"),
        ("<<: 5", 5, "a merge key (<<) needs a mapping"),
        ("cluster: {name: 012}", 17, "expected text, found `012`"),
        ("cluster: {controllers: 012}", 24, "expected a whole number from 1 to 1000, found `012`"),
        ("cluster: {controllers: 1_000}", 24, "expected a whole number from 1 to 1000, found `1_000`"),
        ("cluster: {controllers: 1:30}", 24, "expected a whole number from 1 to 1000, found `1:30`"),
        ("cluster: {kafka: 4.1}", 18, 'expected a quoted Kafka version such as "4.1", found `4.1`'),
        ("cluster: {defaults: {a: no}}", 25, "expected an unambiguous value, found `no`"),
        ("cluster: {defaults: {a: [x, off]}}", 29, "expected an unambiguous value, found `off`"),
    ],
)
def test_what_yaml_allows_and_the_language_does_not(load_text: LoadText, line: str, column: int, message: str) -> None:
    id_, found_line, found_column, found = place(load_text(f"version: 1\n{line}\n"))
    assert id_ in {"KT002", "KT003"}
    assert (found_line, found_column) == (2, column)
    assert found.startswith(message)


def test_words_that_yaml_1_1_misreads_are_text_where_text_is_meant(resolve: Resolve) -> None:
    topology = resolve(
        "version: 1\ncluster: {name: no, racks: [on, 1:30, y]}\n"
        "topics:\n  no: {partitions: 1, replication: 1, owner: off, description: 1_000}\n"
        "rules: {KT101: {severity: off, country: no, at: 2026-01-01}}\n"
    )
    assert topology.cluster.name == "no"
    assert topology.cluster.racks == ("on", "1:30", "y")
    assert (topology.topics["no"].owner, topology.topics["no"].description) == ("off", "1_000")
    assert topology.rules["KT101"].severity == "off"
    assert topology.rules["KT101"].options == {"country": "no", "at": "2026-01-01"}


@pytest.mark.parametrize(
    "path",
    [
        "version", "include", "cluster", "cluster/name", "cluster/brokers", "cluster/defaults", "cluster/defaults/a",
        "cluster/racks", "ownership", "ownership/topics", "patterns", "patterns/a", "profiles", "profiles/a", "topics",
        "topics/t", "topics/t/key", "topics/t/key/type", "topics/t/key/partitioner", "topics/t/key/history",
        "topics/t/config", "topics/t/retention", "topics/t/ignore", "producers", "producers/p", "consumerGroups",
        "consumerGroups/g/assign", "streams", "acls", "users", "users/u", "quotas", "rules", "rules/KT101",
        "environments", "environments/dev", "environments/dev/topics",
    ],
)  # fmt: skip
@pytest.mark.parametrize("nothing", ["", "~", "null"])
def test_nothing_is_refused_where_something_is_meant(load_text: LoadText, path: str, nothing: str) -> None:
    steps = path.split("/")
    lines = [f"{'  ' * depth}{step}:" for depth, step in enumerate(steps)]
    text = "\n".join(["version: 1" * (path != "version"), *lines]) + f" {nothing}\n"
    at = [
        (found.location.line, found.location.column) for found in load_text(text).problems if "nothing" in found.message
    ]
    assert at == [(len(lines) + 1, len(lines[-1]) + (2 if nothing else 1))]


def test_very_long_names_are_refused_shortly(load_text: LoadText) -> None:
    _, line, column, message = place(load_text(f"version: 1\ntopics:\n  ? {'x' * 5000}\n  : {TOPIC}\n"))
    assert (line, column) == (3, 5)
    assert message == f"expected a name of at most 1,000 characters, found `{'x' * 57}...`"


def test_anchors_and_merge_keys_work(resolve: Resolve) -> None:
    topology = resolve(
        "version: 1\ntopics:\n"
        "  a: &a {partitions: 3, replication: 2, owner: one}\n"
        "  b: {<<: *a, owner: two}\n"
        "  c: {<<: [{owner: three}, *a]}\n"
        "  d: *a\n"
    )
    assert [(t.partitions, t.owner) for t in topology.topics.values()] == [
        (3, "one"),
        (3, "two"),
        (3, "three"),
        (3, "one"),
    ]
    at = topology.topics["b"].place("partitions").location
    assert (at.line, at.column) == (3, 22)


def test_a_mistake_behind_an_anchor_is_reported_once(load_text: LoadText) -> None:
    text = "version: 1\ntopics:\n  a: &a {partitions: 1, replication: 1, onwer: x}\n  b: *a\n  c: {<<: *a}\n"
    assert place(load_text(text))[:3] == ("KT002", 3, 41)


def test_the_same_quota_twice_shows_both_places(load_text: LoadText) -> None:
    quotas = "version: 1\nquotas:\n  - {user: p, producerByteRate: 1KB/s}\n"
    quotas += "  - {user: p, clientId: c, producerByteRate: 1MB/s}\n"
    assert load_text(quotas).problems == ()
    loaded = load_text(quotas + "  - {user: p, consumerByteRate: 1MB/s}\n")
    (problem,) = loaded.problems
    assert (problem.id, problem.location.line, problem.related[0].location.line) == ("KT005", 5, 3)
    assert "the quota of user `p` is declared twice; first at " in problem.message
