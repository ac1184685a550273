"""Writes the examples in docs/reviews.md: typical changes of topology/ in a git repository, and the comment on each.

python tools/review_examples.py            write them
python tools/review_examples.py --check    end with 1 if they are out of date or too long
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tutorial import PullRequest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reviews.md"
START = "<!-- examples: written by tools/review_examples.py -->\n"
END = "<!-- end of examples -->\n"
MOST_LINES = 90  # a first limit; the test of the comments measures them in a browser
REVIEW = "kafka-topology review topology --base main --fail-on error,breaking --format markdown"
BOTH = "--env staging --env prod"


@dataclass(frozen=True)
class Example:
    """Edits are file, old text and new text."""

    title: str
    edits: tuple[tuple[str, str, str], ...]
    options: str = BOTH


NEW_TOPIC = """\
  shop.returns:
    profile: event
    description: Parcels that came back.
    owner: logistics
    visibility: private
    partitions: 6
    throughput: {peak: 50KB/s, average: 5KB/s, recordSize: 500B}
    key: {type: uuid, field: order_id, partitioner: murmur2, nulls: forbidden}
    value: {format: json, schema: schemas/shipment.schema.json}

producers:
"""
TRACKING = """\
  # A standalone reader: it takes all partitions itself.
  shop.tracking:
    principal: User:shop-tracking
    owner: logistics
    assign:
      shop.shipments: [0, 1, 2, 3, 4, 5]
    members: 1
    delivery: at-least-once
    start: latest
    maxLag: 10000
    maxOutage: 1d
    config: {enable.auto.commit: false}

"""
SHIPMENTS = """\
  shop.shipments:
    profile: event
    description: Parcels that left the warehouse.
    owner: logistics
    visibility: public
    partitions: 6
    throughput: {peak: 200KB/s, average: 30KB/s, recordSize: 500B}
    key: {type: uuid, field: order_id, partitioner: murmur2, nulls: forbidden}
    value: {format: json, schema: schemas/shipment.schema.json, timestamp: left_at}

"""
WAREHOUSE = """\
producers:
  warehouse:
    principal: User:shop-warehouse
    owner: logistics
    topics: [shop.shipments]
    delivery: at-least-once
    partitioner: murmur2

"""
CENTS = """\
      "type": "integer",
      "minimum": 0,
      "description": "In cents."
"""
TEXT = CENTS.replace("integer", "string").replace('      "minimum": 0,\n', "")
MONITORING = "topic: shop.orders, operations: [Describe, DescribeConfigs]}"
EXAMPLES = (
    Example("A new topic", (("logistics.yaml", "producers:\n", NEW_TOPIC),)),
    Example(
        "Retention lowered in a profile", (("cluster.yaml", "retention: 7d\n    config", "retention: 2d\n    config"),)
    ),
    Example("Partitions raised on a keyed topic", (("checkout.yaml", "    partitions: 12\n", "    partitions: 24\n"),)),
    Example(
        "A topic removed",
        (
            ("logistics.yaml", SHIPMENTS, ""),
            ("logistics.yaml", WAREHOUSE, ""),
            ("logistics.yaml", TRACKING, ""),
        ),
    ),
    Example(
        "A topic renamed",
        (
            ("payments.yaml", "shop.payments", "shop.charges"),
            ("checkout.yaml", "shop.payments", "shop.charges"),
            ("logistics.yaml", "shop.payments", "shop.charges"),
        ),
    ),
    Example(
        "An ACL prefix widened",
        (("access.yaml", MONITORING, "topic: shop., pattern: prefixed, operations: [Read, DescribeConfigs]}"),),
    ),
    Example("A producer's acks lowered", (("checkout.yaml", "{linger.ms: 5,", "{acks: 1, linger.ms: 5,"),)),
    Example(
        "A schema change that breaks readers",
        (("schemas/order.schema.json", CENTS, TEXT),),
    ),
    Example(
        "Replication raised", (("payments.yaml", "    partitions: 12\n", "    partitions: 12\n    replication: 4\n"),)
    ),
    Example("A change of one environment", (("cluster.yaml", "{retention: 4d}", "{retention: 2d}"),)),
)


def comment_of(example: Example) -> tuple[str, str]:
    """The diff and the comment."""
    with tempfile.TemporaryDirectory() as folder:
        request = PullRequest(Path(folder))
        diffs = []
        for name in dict.fromkeys(name for name, _, _ in example.edits):
            file = Path(folder, "topology", name)
            before = after = file.read_text(encoding="utf-8")
            for _, old, new in (edit for edit in example.edits if edit[0] == name):
                if old not in after:
                    raise ValueError(f"{example.title}: {name} does not contain {old!r}")
                after = after.replace(old, new)
            file.write_text(after, encoding="utf-8")
            lines = (text.splitlines(keepends=True) for text in (before, after))
            diffs.append("".join(list(difflib.unified_diff(*lines, f"topology/{name}", f"topology/{name}", n=0))[1:]))
        return "".join(diffs), request.run(f"{REVIEW} {example.options}")


def section(example: Example) -> Iterator[str]:
    diff, comment = comment_of(example)
    lines = comment.splitlines()
    if len(lines) > MOST_LINES:
        raise ValueError(f"{example.title}: the comment has {len(lines)} lines, more than {MOST_LINES}")
    yield f"<details>\n<summary><b>{example.title}</b></summary>\n"
    yield f"```diff\n{diff}```\n"
    yield "\n".join(lines) + "\n"
    yield "</details>\n"


def page_with_examples(page: str) -> str:
    head, start, rest = page.partition(START)
    _, end, tail = rest.partition(END)
    if not start or not end:
        raise ValueError(f"{PAGE} has no place for the examples")
    return f"{head}{start}\n" + "\n".join(part for example in EXAMPLES for part in section(example)) + f"\n{end}{tail}"


def comments_of(page: str) -> dict[str, str]:
    """The comments that the page shows, by title."""
    written = page.partition(START)[2].partition(END)[0]
    parts = written.split("<details>\n<summary><b>")[1:]
    return {
        part.partition("</b>")[0]: "<!--" + part.partition("\n<!--")[2].rpartition("</details>")[0] for part in parts
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the examples in docs/reviews.md.")
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 if they are out of date")
    check = parser.parse_args(arguments).check
    text = PAGE.read_text(encoding="utf-8")
    wanted = page_with_examples(text)
    if text == wanted:
        return 0
    if check:
        print("docs/reviews.md: out of date; run python tools/review_examples.py", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    print("docs/reviews.md: written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
