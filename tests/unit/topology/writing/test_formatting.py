"""Formatting orders and indents a file and keeps everything else, every comment above all."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_topology.topology import load
from kafka_topology.topology.language.document import DOCUMENT, TOPIC
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.layout import CannotFormat


def formatted(text: str) -> str:
    return format_text(dedent(text))


def test_sections_and_fields_come_in_the_order_of_the_language():
    assert formatted("""\
            topics:
              b:
                replication: 3
                partitions: 6
              a: {replication: 3, partitions: 6}
            version: 1
            """) == dedent("""\
            version: 1
            topics:
              b:
                partitions: 6
                replication: 3
              a: {partitions: 6, replication: 3}
            """)


def test_comments_move_with_what_they_are_about():
    assert formatted("""\
            # the topics
            topics:
              orders:
                # as many as brokers
                replication: 3  # three
                # by load
                partitions: 6
                # nothing follows
            # the first version
            version: 1
            # the end
            """) == dedent("""\
            # the first version
            version: 1
            # the topics
            topics:
              orders:
                # by load
                partitions: 6
                # as many as brokers
                replication: 3  # three
                # nothing follows
            # the end
            """)


def test_the_editors_schema_and_the_files_first_comment_stay_on_top():
    text = """\
        # yaml-language-server: $schema=topology.schema.json
        topics: {}
        version: 1
        """
    assert formatted(text).splitlines()[0] == "# yaml-language-server: $schema=topology.schema.json"
    text = """\
        # All rights reserved.

        topics: {}
        version: 1
        """
    assert formatted(text).splitlines()[:3] == ["# All rights reserved.", "", "version: 1"]


def test_blocks_and_lists_are_indented_by_two():
    assert formatted("""\
            version: 1
            acls:
            -   principal: User:a
                topic: x
                operations:
                - Read
                # later
                - Write
            topics:
                  a:
                     partitions: 1
            """) == dedent("""\
            version: 1
            topics:
              a:
                partitions: 1
            acls:
              - principal: User:a
                topic: x
                operations:
                  - Read
                  # later
                  - Write
            """)


def test_a_comment_between_a_dash_and_the_first_name_goes_above_the_dash():
    assert formatted("""\
            acls:
              - # why
                topic: x
                # who
                principal: User:a
            """) == dedent("""\
            acls:
              # why
              # who
              - principal: User:a
                topic: x
            """)


def test_blank_lines_keep_their_places():
    text = "version: 1\n\n\ncluster:\n\n  name: a\n\n  kafka: '4.1'\n\ntopics: {}\n"
    assert format_text(text) == text


def test_an_alias_never_comes_before_its_anchor():
    text = "version: 1\ntopics:\n  a: &a {partitions: 1}\nprofiles:\n  p: *a\n"
    assert format_text(text) == text


def test_quotes_blocks_of_text_and_flow_over_several_lines_stay_as_written():
    text = dedent("""\
        version: 1
        topics:
          a:
            description: |
              one
                two

              three
            owner: 'me'
            config: {
              b: "1",  # first
              a: 2
            }
        """)
    again = format_text(text)
    assert yaml.safe_load(again) == yaml.safe_load(text)
    for part in ("owner: 'me'", '  b: "1",  # first', "      one\n        two\n\n      three\n"):
        assert part in again


@pytest.mark.parametrize("text", ["", "# only a comment\n", "{version: 1}\n", "version: 1\n"])
def test_what_has_nothing_to_order_stays(text):
    assert format_text(text) == text


def test_line_ends_stay():
    assert format_text("topics: {}\r\nversion: 1\r\n") == "version: 1\r\ntopics: {}\r\n"


def test_the_last_line_gets_its_line_end():
    assert format_text("topics: {}\nversion: 1") == "version: 1\ntopics: {}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: ]\n", "line 1: invalid YAML"),
        ("a: 1\n---\nb: 1\n", "line 2: a second document"),
        ("a: 1\n? b\n: 1\n", "line 2: the name is not the first text on its line"),
        ("a: 1\rb: 2\n", "a line does not end in a line feed"),
        ("topics:\n  &x\n  a: 1\n", "`&x` is in a place where only comments can be moved"),
    ],
)
def test_what_cannot_be_moved_safely_is_refused_with_the_reason(text, reason):
    with pytest.raises(CannotFormat, match=re.escape(reason)):
        format_text(text)


# Any layout that people write: every comment has a number, so that none can get lost or doubled unseen.

NAMES = [*DOCUMENT.by_name, *TOPIC.by_name, "<<x", "other", '"quoted name"', "a.b"]
SCALARS = ["1", "text", '"a # b"', "'it''s'", "7d", "", "~", "[1, 2]", "{replication: 3, partitions: 1}", "{}", "[]"]


class Page:
    """Lines with numbered comments strewn in."""

    def __init__(self, draw):
        self.draw = draw
        self.comments = 0
        self.lines: list[str] = []

    def comment(self) -> str:
        self.comments += 1
        return f"# c{self.comments}c"

    def noise(self, width: int) -> None:
        """Blank lines and comments, indented as anyone might."""
        for choice in self.draw(st.lists(st.sampled_from(["", " ", "at", "any"]), max_size=2)):
            if choice == "at":
                self.lines.append(" " * width + self.comment())
            elif choice == "any":
                self.lines.append(" " * self.draw(st.integers(0, 8)) + self.comment())
            else:
                self.lines.append(choice)

    def trailing(self) -> str:
        return f"  {self.comment()}" if self.draw(st.integers(0, 4)) == 0 else ""

    def mapping(self, width: int, depth: int, first: str = "") -> None:
        names = self.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
        for number, name in enumerate(names):
            lead = first if number == 0 and first else " " * width
            if not (number == 0 and first):
                self.noise(width)
            self.value(f"{lead}{name}:", width, depth)

    def sequence(self, width: int, depth: int) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.noise(width)
            gap = " " * self.draw(st.integers(1, 3))
            if depth and self.draw(st.booleans()):
                lead = " " * width + "-" + gap
                self.mapping(len(lead), depth - 1, lead)
            else:
                self.value(" " * width + "-", width, 0)

    def value(self, lead: str, width: int, depth: int) -> None:
        kind = self.draw(st.sampled_from(["scalar", "block text", "long"] + ["map", "list"] * 2 * (depth > 0)))
        if kind == "scalar":
            scalar = self.draw(st.sampled_from(SCALARS))
            self.lines.append(f"{lead} {scalar}".rstrip() + self.trailing())
        elif kind == "block text":
            inner = " " * (width + self.draw(st.integers(1, 4)))
            style = self.draw(st.sampled_from(["|", ">", "|-", ">-"]))
            self.lines += [f"{lead} {style}{self.trailing()}", f"{inner}a # b", "", f"{inner} c"]
            self.lines.append(f"{inner[:-1] if len(inner) > width + 1 else ''}{self.comment()}")
            if len(inner) <= width + 1:
                self.lines.pop()
                self.comments -= 1
        elif kind == "long":
            inner = " " * (width + self.draw(st.integers(1, 4)))
            self.lines += [f'{lead} "one', f'{inner}two"{self.trailing()}']
        else:
            self.lines.append(lead + self.trailing())
            if kind == "map":
                inside = width + self.draw(st.integers(1, 5))
                self.noise(inside)
                self.mapping(inside, depth - 1)
            else:
                self.sequence(width + self.draw(st.integers(0 if lead.endswith(":") else 1, 4)), depth - 1)


@st.composite
def pages(draw):
    page = Page(draw)
    page.mapping(0, 3)
    page.noise(0)
    return "\n".join(page.lines) + "\n", page.comments


@settings(max_examples=150, deadline=None)
@given(pages())
def test_any_layout_keeps_its_comments_and_its_meaning_and_a_second_run_changes_nothing(page):
    text, comments = page
    before = yaml.safe_load(text)
    again = format_text(text)
    assert yaml.safe_load(again) == before
    for number in range(1, comments + 1):
        assert len(re.findall(rf"# c{number}c\b", again)) == 1
    assert format_text(again) == again


@settings(max_examples=60, deadline=None)
@given(st.permutations(list(DOCUMENT.by_name)), st.permutations(["partitions", "replication", "key", "owner"]))
def test_a_shuffled_topology_is_the_same_topology_afterwards(tmp_path_factory, sections, fields):
    parts = {
        "version": "version: 1\n",
        "cluster": 'cluster: {kafka: "4.1", brokers: 3}\n',
        "profiles": "profiles:\n  p:\n    deletion: allowed\n    retention: 7d\n",
        "topics": "topics:\n  orders:\n"
        + "".join(
            {
                "partitions": "    partitions: 6\n",
                "replication": "    # why\n    replication: 3\n",
                "key": "    key:\n      field: id\n      type: uuid\n",
                "owner": "    owner: me\n",
            }[name]
            for name in fields
        ),
        "producers": "producers:\n  p: {topics: [orders], principal: User:p}\n",
    }
    text = "".join(parts.get(name, "") for name in sections)
    file = tmp_path_factory.mktemp("shuffled") / "topology.yaml"
    file.write_text(text)
    before = load(file).topology
    assert before is not None
    file.write_text(format_text(text))
    assert load(file).topology == before
    assert list(yaml.safe_load(file.read_text())) == [name for name in DOCUMENT.by_name if name in parts]
