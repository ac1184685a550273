"""The page of a change: what it says, and that nothing in a topology can become a part of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_topology.report.review.formats import Presented, review_formats
from kafka_topology.review.result import Review
from kafka_topology.review.run import Pair, review_pair
from kafka_topology.topology import load

from .test_page import ATTACK, Page

HOSTILE = json.dumps(ATTACK)
BEFORE = f"""\
version: 1
cluster: {{brokers: 3}}
environments: {{dev: {{}}, prod: {{}}}}
topics:
  shop.orders: {{owner: checkout, partitions: 6, replication: 3, key: {{type: uuid, partitioner: murmur2}}}}
  shop.old: {{owner: {HOSTILE}, partitions: 6, replication: 3}}
producers:
  writer: {{owner: checkout, principal: "User:w", topics: [shop.orders], config: {{ssl.key.password: tiger}}}}
consumerGroups:
  reader: {{owner: billing, principal: "User:r", topics: [shop.orders]}}
"""
AFTER = BEFORE.replace("partitions: 6, replication: 3, key", "partitions: 12, replication: 3, key").replace(
    f"  shop.old: {{owner: {HOSTILE}, partitions: 6, replication: 3}}\n",
    f"  shop.new: {{owner: checkout, description: {HOSTILE}, partitions: 6, replication: 3}}\n",
).replace("tiger", "lion")  # fmt: skip


def review_of(folder: Path, before: str, after: str, *environments: str | None) -> Review:
    versions = []
    for name, text in (("before", before), ("after", after)):
        file = folder / name / "topology.yaml"
        file.parent.mkdir()
        file.write_text(text)
        versions.append(file)
    reviews = []
    for environment in environments or (None,):
        old, new = (load(file, environment).topology for file in versions)
        assert old is not None
        assert new is not None
        reviews.append(review_pair(Pair(environment, old, new)))
    return Review(subject="topology", base="main", head="topology", reviews=tuple(reviews))


def page_of(review: Review, address: str | None = None) -> tuple[str, Page]:
    presented = Presented(review=review, address=lambda at: f"{address}#L{at.line}" if address else None)
    markup = review_formats().by_name["page"].render(presented)
    return markup, Page(markup)


def test_the_page_shows_changes_graph_and_findings(tmp_path: Path) -> None:
    markup, page = page_of(review_of(tmp_path, BEFORE, AFTER), "https://git.example/x")
    assert [section["id"] for section in page.all("section")][:4] == ["summary", "changes", "graph", "findings"]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {link["href"] or "" for link in page.all("a") if "href" in link}
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert "https://git.example/x#L5" in links
    assert {link[:1] for link in links} == {"#", "h"}
    drawn = {node["aria-label"]: node["class"] for node in page.all("a") if "node" in (node.get("class") or "")}
    by_name = {label.split(",")[0]: classes for label, classes in drawn.items() if label}
    assert "is-change is-risky" in (by_name["topic shop.orders"] or "")
    assert "is-add" in (by_name["topic shop.new"] or "")
    assert "is-remove" in (by_name["topic shop.old"] or "")
    assert "is-same" in (by_name["consumer group reader"] or "")
    assert "partitions: 6 → 12" in page.text
    assert "Fails: " in page.text
    assert 'data-value="destructive"' in markup


def test_hostile_names_and_secrets_of_a_change_stay_out(tmp_path: Path) -> None:
    markup, page = page_of(review_of(tmp_path, BEFORE, AFTER))
    assert ATTACK in page.text
    assert not page.all("img")
    assert len([each for each in page.all("script") if each.get("type") is None]) == 2
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    for secret in ("tiger", "lion"):
        assert secret not in markup


def test_environments_that_change_alike_share_a_drawing(tmp_path: Path) -> None:
    alike, _ = page_of(review_of(tmp_path, BEFORE, AFTER, "dev", "prod"))
    assert alike.count('class="scroll drawing"') == 1
    folder = tmp_path / "other"
    folder.mkdir()
    other = AFTER.replace("prod: {}", "prod: {topics: {shop.orders: {partitions: 18}}}")
    different, page = page_of(review_of(folder, BEFORE, other, "dev", "prod"))
    assert different.count('class="scroll drawing"') == 2
    assert "In dev" in page.text
    assert "In prod" in page.text


@pytest.mark.parametrize(
    ("changed", "said", "tone"),
    [
        ({}, "Passes: no risk", "fine"),
        ({"unread": ("the base is broken",)}, "the base is broken", "warning"),
        ({"base": None, "is_compared": False}, "Nothing was compared.", "warning"),
    ],
)
def test_only_what_was_compared_and_is_harmless_looks_fine(
    tmp_path: Path, changed: dict[str, object], said: str, tone: str
) -> None:
    review = replace(review_of(tmp_path, BEFORE, BEFORE), **changed)  # type: ignore[arg-type]
    _, page = page_of(review)
    assert said in page.text
    first = next(each for each in page.all("p") if each.get("class") == "verdict")
    assert first["data-value"] == tone
