"""The graph of a topology, and the forms it is drawn in."""

from __future__ import annotations

import json
import re
import time
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from kafka_topology.cli.commands.graph import command
from kafka_topology.graph import Edge, Graph, Node, UnknownName, focused, topology_graph
from kafka_topology.graph.data import as_json
from kafka_topology.graph.layers import columns_of
from kafka_topology.graph.layout import Box, arrange
from kafka_topology.graph.mermaid import MAX_EDGES, as_mermaid, label, too_large
from kafka_topology.graph.svg import as_inline_svg, as_svg
from kafka_topology.graph.words import columns, shortened
from kafka_topology.topology import load

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """\
version: 1
ownership: {topics: [shop.]}
topics:
  shop.a: {owner: '<script>alert(1)</script> "]; end', partitions: 6, replication: 3, visibility: public}
  shop.b: {owner: 團隊, partitions: 1, replication: 1}
producers:
  '<script>alert(3)</script>': {topics: [shop.a, other.topic]}
  end: {topics: [shop.b], owner: "o'k & <b>"}
streams:
  'x"]-->y': {reads: [shop.a], writes: [shop.a, shop.b]}
shareGroups:
  '<script>alert(4)</script>"])-->': {topics: [shop.a, shop.b], owner: "o'k & <b>", members: 40}
"""


def shop() -> Graph:
    topology = load(ROOT / "topology").topology
    assert topology is not None
    return topology_graph(topology)


@pytest.fixture
def hostile(tmp_path: Path) -> Graph:
    file = tmp_path / "topology.yaml"
    file.write_text(HOSTILE)
    loaded = load(file)
    assert loaded.topology is not None, loaded.problems
    return topology_graph(loaded.topology)


def named(graph: Graph) -> set[tuple[str, str]]:
    return {(node.kind, node.name) for node in graph.nodes}


def flows(graph: Graph) -> set[tuple[str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[edge.source], names[edge.target]) for edge in graph.edges}


def chain(count: int, fan: int = 1) -> Graph:
    """Topics and streams applications in turn, some of them leading back."""
    nodes = [Node("topic" if n % 2 else "streams", f"node-{n}", f"team-{n % 7}") for n in range(count)]
    edges = [Edge(nodes[n].id, nodes[n + 1].id, "writes") for n in range(count - 1)]
    edges += [
        Edge(nodes[n].id, nodes[(n * 3 + 1) % count].id, "writes") for n in range(0, count, 2) for _ in range(fan)
    ]
    return Graph(tuple(nodes), tuple(dict.fromkeys(edge for edge in edges if edge.source != edge.target)))


def test_data_flow_from_writers_through_topics_to_readers():
    graph = shop()
    assert ("checkout", "shop.orders") in flows(graph)
    assert ("shop.orders", "shop.charge") in flows(graph)
    assert ("shop.shipments", "shop.tracking") in flows(graph)  # by assignment
    assert ("shop.enrich", "shop.paid-orders") in flows(graph)
    orders = next(node for node in graph.nodes if node.name == "shop.orders")
    assert (orders.owner, orders.public, orders.external) == ("checkout", True, False)


def test_a_topic_that_others_declare_is_external(hostile: Graph):
    other = next(node for node in hostile.nodes if node.name == "other.topic")
    assert (other.external, other.team) == (True, "external")
    assert json.loads(as_json(hostile))["nodes"][-1]["visibility"] is None


def test_a_share_group_is_drawn_as_one_in_every_form(hostile: Graph):
    name = '<script>alert(4)</script>"])-->'
    assert {("shop.a", name), ("shop.b", name)} <= flows(hostile)
    node = next(each for each in hostile.nodes if each.kind == "shareGroup")
    assert (node.name, node.note) == (name, "share group, 40 members")
    boxes = [line for line in as_mermaid(hostile).splitlines() if line.endswith(":::shareGroup")]
    assert len(boxes) == 1
    assert '(["#60;script#62;alert#40;4#41;' in boxes[0]
    root = ET.fromstring(as_svg(hostile))  # noqa: S314 - our own drawing
    drawn = [each for each in root.iter() if "shareGroup" in (each.get("class") or "").split()]
    assert len(drawn) == 1
    assert name in "".join(drawn[0].itertext())
    written = next(each for each in json.loads(as_json(hostile))["nodes"] if each["name"] == name)
    assert written["kind"] == "shareGroup"


def test_focus_on_a_resource_keeps_what_feeds_it_and_what_it_feeds():
    part = focused(shop(), "shop.payments")
    assert {name for _, name in named(part)} == {
        "charge", "shop.payments", "shop.enrich", "shop.paid-orders", "shop.warehouse",
    }  # fmt: skip
    assert ("producer", "warehouse") not in named(part)


def test_focus_on_a_team_keeps_its_neighbours():
    part = focused(shop(), "payments")
    assert named(part) == {
        ("topic", "shop.orders"), ("topic", "shop.payments"), ("producer", "charge"), ("group", "shop.charge"),
        ("streams", "shop.enrich"),
    }  # fmt: skip


def test_focus_on_nothing_says_what_is_near():
    with pytest.raises(UnknownName, match=r"called shop.order; did you mean `shop.orders`\?"):
        focused(shop(), "shop.order")


def test_mermaid_has_a_box_for_each_team_and_every_flow():
    chart = as_mermaid(shop())
    assert chart.startswith("flowchart LR\n")
    assert re.findall(r'subgraph t\d+\["(.*)"\]', chart) == ["checkout", "logistics", "payments"]
    assert chart.count("-->") == len(shop().edges)
    assert '[("shop.orders")]:::public' in chart
    assert '{{"shop.enrich"}}:::streams' in chart


def test_nothing_in_a_name_means_anything_to_mermaid(hostile: Graph):
    for line in as_mermaid(hostile).splitlines():
        for text in re.findall(r'"(.*)"', line):
            assert re.fullmatch(r"(?:[A-Za-z0-9 .,:/…-]|#\d+;)*", text), line
    assert label('<b>"x"</b>') == "#60;b#62;#34;x#34;#60;/b#62;"


def test_a_chart_that_github_would_not_draw_is_reported():
    graph = chain(600)
    assert str(MAX_EDGES) in (too_large(graph, as_mermaid(graph)) or "")
    assert too_large(shop(), as_mermaid(shop())) is None


def test_svg_is_well_formed_and_shows_text_as_text(hostile: Graph):
    for drawing in (
        as_svg(hostile),
        as_inline_svg(hostile, "x").replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'),
    ):
        root = ET.fromstring(drawing)  # noqa: S314 - our own drawing
        assert "<script>alert(3)</script>" in [text.text for text in root.iter(f"{SVG}text")]
        assert not list(root.iter(f"{SVG}script"))
        assert all(not name.startswith("on") for each in root.iter() for name in each.attrib)


def test_svg_loads_nothing():
    assert set(re.findall(r"https?://[^\s\"'<]+", as_svg(shop()))) == {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("draw", [as_svg, as_mermaid, as_json])
def test_the_same_topology_gives_the_same_bytes(draw):
    assert draw(shop()) == draw(shop())


def overlap(one: Box, other: Box) -> bool:
    apart = one.x + one.width <= other.x or other.x + other.width <= one.x
    return not apart and one.y < other.y + other.height and other.y < one.y + one.height


def test_no_box_lies_on_another_and_all_are_in_their_lanes(hostile: Graph):
    for graph in (shop(), hostile, chain(60)):
        layout = arrange(graph)
        assert len(layout.boxes) == len(graph.nodes) > 1
        assert not [pair for pair in combinations(layout.boxes, 2) if overlap(*pair)]
        lanes = {lane.name: lane for lane in layout.lanes}
        for box in layout.boxes:
            lane = lanes[box.node.team]
            assert lane.y < box.y
            assert box.y + box.height < lane.y + lane.height
            assert box.x + box.width < layout.width


def test_a_reader_stands_right_of_what_it_reads_and_cycles_end():
    graph = shop()
    column = columns_of(graph)
    assert graph.edges
    assert all(column[edge.source] < column[edge.target] for edge in graph.edges)
    circle = chain(50)
    assert len(columns_of(circle)) == 50


def test_a_part_of_a_large_graph_keeps_its_flows():
    nodes = [Node(kind, f"{kind}-{n}") for kind in ("topic", "producer", "group") for n in range(1_000)]
    ids = {node.name: node.id for node in nodes}
    edges = [Edge(ids[f"producer-{n}"], ids[f"topic-{n}"], "writes") for n in range(1_000)]
    edges += [Edge(ids[f"topic-{n}"], ids[f"group-{n}"], "reads") for n in range(1_000)]
    part = Graph(tuple(nodes), tuple(edges)).most_connected(300)
    assert (len(part.nodes), len(part.edges)) == (300, 200)


def test_an_empty_graph_is_drawn_too():
    ET.fromstring(as_svg(Graph((), ())))  # noqa: S314 - our own drawing
    assert as_mermaid(Graph((), ())).startswith("flowchart LR")


def test_500_nodes_are_drawn_in_about_a_second():
    graph = chain(500, fan=2)
    started = time.process_time()
    as_svg(graph)
    assert time.process_time() - started < 3  # generous: the machine may be busy


def test_a_long_name_loses_its_middle_and_fits():
    assert shortened("a" * 30 + "b" * 30, 20) == "a" * 9 + "…" + "b" * 10
    assert columns(shortened("團" * 40, 21)) <= 21


def test_the_command_draws_to_stdout_or_to_a_file(tmp_path: Path):
    shown = CliRunner().invoke(command, [str(ROOT / "topology"), "--focus", "shop.orders"])
    assert (shown.exit_code, shown.stdout.splitlines()[0]) == (0, "flowchart LR")
    file = tmp_path / "shop.svg"
    written = CliRunner().invoke(command, [str(ROOT / "topology"), "--format", "svg", "--output", str(file)])
    assert (written.exit_code, written.stdout) == (0, "")
    assert file.read_text() == as_svg(shop())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--focus", "nobody"], "no topic, producer, group, share group, streams application or team is called nobody"),
        (["--output", "/nowhere/at/all.svg"], "there is no folder /nowhere/at"),
        (["--env", "moon"], "moon"),
    ],
)
def test_wrong_usage_ends_with_two_and_the_reason(arguments: list[str], said: str):
    done = CliRunner().invoke(command, [str(ROOT / "topology"), *arguments])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_the_chart_in_the_docs_is_what_the_command_prints():
    assert f"```mermaid\n{as_mermaid(shop())}```\n" in (ROOT / "docs/report.md").read_text()
