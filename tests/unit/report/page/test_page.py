"""The HTML page: its shape, and that nothing in a topology or a check can become a part of it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.commands.report import command
from kafka_topology.graph import topology_graph
from kafka_topology.report.page import BadCheckFile, Subject, details, parse_checks, render
from kafka_topology.report.page.access import Access
from kafka_topology.report.page.markup import html, tables
from kafka_topology.report.run import Run
from kafka_topology.topology import load
from kafka_topology.validators import run

ROOT = Path(__file__).resolve().parents[4]
VOID = {"meta", "input", "br", "rect", "wbr"}
ATTACK = "</script><img src=x onerror=alert(1)>\"'><script>alert(2)</script>"
HOSTILE = f"""\
version: 1
cluster: {{name: {json.dumps(ATTACK)}, brokers: 3}}
ownership: {{topics: [shop.]}}
topics:
  shop.a:
    owner: {json.dumps(ATTACK)}
    description: {json.dumps(ATTACK)}
    partitions: 6
    replication: 3
producers:
  {json.dumps(ATTACK)}: {{topics: [shop.a, other.topic], principal: {json.dumps("User:" + ATTACK)}}}
shareGroups:
  {json.dumps("share" + ATTACK)}: {{topics: [shop.a], owner: {json.dumps(ATTACK)}, members: 40}}
"""
SECRET = """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {ssl.key.password: tiger-and-lion}}
"""
CHECK = {
    "topics": [
        {
            "topic": "shop.orders",
            "records": 60,
            "ranges": [{"partition": n, "start": 0, "end": 9, "records": 10 + n, "gap": None} for n in range(4)],
            "hotKeys": [{"partition": 2, "key": "9f…", "records": 30}],
            "results": [
                {
                    "check": "placement",
                    "status": "exact",
                    "violations": 2,
                    "faults": {"misplaced": 2},
                    "partitions": [{"partition": 1, "violations": 2, "first": 1, "last": 5}],
                    "examples": [
                        {"partition": 1, "offset": 1, "fault": "misplaced", "key": "ab…", "expectedPartition": 3}
                    ],
                    "cause": "another partitioner",
                    "fix": "set it",
                },
                {"check": "order", "status": "not-checked", "violations": None, "reason": "no sequence"},
                {"check": "skew", "status": "exact", "violations": 0},
            ],
        },
        {"topic": "shop.gone", "records": 0, "ranges": [], "results": [], "unreadable": "no such topic"},
    ]
}


class Page(HTMLParser):
    """The elements as a browser finds them, and whether each is closed where it should be."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.shown: list[str] = []
        self.feed(markup)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return "".join(self.shown)


def page_of(path: Path, check: object = None) -> str:
    topology = load(path).topology
    assert topology is not None
    outcome = run(topology)
    found = Run(subject=path.name, folder=path.parent, findings=outcome.findings, suppressed=outcome.suppressed)
    return render(Subject(topology, found, parse_checks(json.dumps(check)) if check else None))


ENVIRONMENTS = """\
version: 1
profiles: {event: {retention: 7d}}
environments: {dev: {profiles: {event: {retention: 1d}}, topics: {a.two: {partitions: 3}}}, prod: {}}
topics:
  a.one: {profile: event, partitions: 6, replication: 3, owner: x}
  a.two: {profile: event, partitions: 6, replication: 3, owner: y}
producers:
  a.writer: {topics: [a.one, a.two], owner: x, principal: "User:w", config: {ssl.key.password: tiger-and-lion}}
"""


def report_of(folder: Path, *arguments: str) -> str:
    """The page as the command writes it."""
    output = folder / "page.html"
    done = CliRunner().invoke(command, [str(folder / "topology.yaml"), "--output", str(output), *arguments])
    assert done.exit_code == 0, done.output
    return output.read_text()


def written(folder: Path, text: str) -> Path:
    file = folder / "topology.yaml"
    file.write_text(text)
    return file


def test_the_page_has_landmarks_headings_and_labelled_parts():
    page = Page(page_of(ROOT / "topology"))
    for landmark in ("header", "nav", "main", "aside", "footer"):
        assert len(page.all(landmark)) == 1, landmark
    assert len(page.all("h1")) == 1
    assert page.all("html")[0]["lang"] == "en"
    sections = [section["id"] for section in page.all("section")]
    assert sections == ["summary", "graph", "findings", "audit", "checks", "access", "resources"]
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert page.all("th")
    assert page.all("button")
    assert all(th.get("scope") for th in page.all("th"))
    assert all(button.get("type") == "button" for button in page.all("button"))


def test_every_id_is_there_once_and_every_link_leads_to_one():
    for path in ("topology", "examples/exactly-once", "examples/broken"):
        page = Page(page_of(ROOT / path, CHECK))
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = [link["href"] or "" for link in page.all("a") if "href" in link]
        assert links
        assert {link[:1] for link in links} == {"#"}
        assert {link[1:] for link in links} <= set(ids)


def test_a_page_of_several_environments_compares_them(tmp_path: Path):
    written(tmp_path, ENVIRONMENTS)
    page = Page(report_of(tmp_path, "--env", "dev", "--env", "prod", "--env", "dev"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {(link["href"] or "#")[1:] for link in page.all("a") if "href" in link} <= set(ids)
    assert [section["id"] for section in page.all("section")][:2] == ["environments", "e0-summary"]
    assert len(page.all("nav")) == len(page.all("h1")) == 1
    shown = "|".join(each for each in page.shown if each.strip())
    assert "config.|retention.|ms|topic|86400000|604800000|2 of 2 teams|a.one, a.two|" in shown  # one line, one row
    assert "partitions|topic|3|6|a.|two|y" in shown
    assert "tiger-and-lion" not in page.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--env", "dev", "--env", "prod", "--check", "c.json"], "put dev= or prod= first"),
        (["--env", "dev", "--check", "c.json", "--check", "d.json"], "give one file of dev; c.json and d.json"),
        (["--check", "c.json", "--check", "d.json"], "give one file; c.json and d.json were given"),
        (["--env", "dev", "--audit", "AUDIT"], "is an audit of the environment prod, but the page is of dev"),
        (["--audit", "AUDIT"], "pass --env prod"),
        (["--link-base", "javascript:alert(1)"], "is no web address"),
    ],
)
def test_what_would_show_the_wrong_environment_is_refused(tmp_path: Path, arguments: list[str], said: str):
    file, audit = written(tmp_path, ENVIRONMENTS), tmp_path / "audit.json"
    audit.write_text(json.dumps({"environment": "prod", "findings": [], "live": {}}))
    given = [str(audit) if each == "AUDIT" else each for each in arguments]
    done = CliRunner().invoke(command, [str(file), *given])
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_each_environment_has_its_own_audit(tmp_path: Path):
    written(tmp_path, ENVIRONMENTS)
    audit = tmp_path / "audit.json"
    audit.write_text(json.dumps({"environment": "prod", "findings": [], "live": {}}))
    markup = report_of(tmp_path, "--env", "dev", "--env", "prod", "--audit", f"prod={audit}")
    sections = dict(re.findall(r'<section id="(e\d-audit)".*?</h2>(.*?)</section>', markup, re.DOTALL))
    assert "was not audited" in sections["e0-audit"]
    assert "No findings on the live cluster." in sections["e1-audit"]


def test_places_link_to_lines_on_the_web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path, ENVIRONMENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "STATIC_ROWS", 1)
    done = CliRunner().invoke(command, ["topology.yaml", "--link-base", "https://git.example/blob/main/"])
    assert done.exit_code == 0, done.output
    markup = (tmp_path / "report.html").read_text()
    assert 'href="https://git.example/blob/main/topology.yaml#L5"' in markup
    assert '["topology.yaml:5","@/topology.yaml#L5",""]' in markup  # the base is not repeated in each row
    assert 'data-link-base="https://git.example/blob/main"' in markup


def test_many_findings_have_totals_by_rule_and_team(tmp_path: Path):
    topics = "".join(f"  a.t{n}: {{partitions: 3, replication: 3, owner: team-{n % 2}}}\n" for n in range(6))
    file = written(tmp_path, f"version: 1\ntopics:\n{topics}")
    topology = load(file).topology
    assert topology is not None
    outcome = run(topology)
    found = Run(subject="x", folder=tmp_path, findings=outcome.findings, rules=outcome.rules)
    page = Page(render(Subject(topology, found, None)))
    filters = {link["data-filter"] for link in page.all("a") if link.get("data-filter")}
    assert filters == {"1", "3"}
    assert "findings-table" in {(link["href"] or "")[1:] for link in page.all("a") if link.get("data-filter")}
    count = sum(finding.id == outcome.findings[0].id for finding in outcome.findings)
    assert re.search(rf"{outcome.findings[0].id}\s*\w+\s*{count}", page.text)


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("shop.orders-by_day", "shop.<wbr>orders-<wbr>by_<wbr>day"),
        ("a--b..c", "a--<wbr>b..<wbr>c"),
        ("<b>/x", "&lt;b&gt;/<wbr>x"),
        ("plain", "plain"),
        ("end.", "end."),
    ],
)
def test_a_name_breaks_after_its_separators_only(text: str, markup: str):
    assert html.name(text) == markup


def test_each_resource_has_its_details_with_the_origin_of_each_value():
    markup = page_of(ROOT / "topology")
    article = re.search(r"<article id=\"topic-\w+\".*?>shop\.<wbr>orders</h3>.*?</article>", markup, re.DOTALL)
    assert article is not None
    text = Page(article[0]).text
    assert "topic of checkout" in text
    assert "topology/checkout.yaml:10" in text  # its partitions
    assert re.search(r"min\.insync\.replicas2profile base, topology/cluster\.yaml:\d+", text)
    assert "User:shop-checkout may write" in text
    assert "User:shop-monitoring may look" in text


def test_findings_are_in_the_table_and_in_the_details():
    markup = page_of(ROOT / "examples/broken")
    assert 'data-value="error"' in markup
    assert Page(markup).text.count("KT101") >= 2
    assert [choice["data-column"] for choice in Page(markup).all("select")][:1] == ["0"]


def test_hostile_names_stay_text(tmp_path: Path):
    check = json.loads(json.dumps(CHECK).replace("shop.orders", ATTACK.replace('"', '\\"')).replace("9f…", "<script>"))
    markup = page_of(written(tmp_path, HOSTILE), check)
    page = Page(markup)
    assert ATTACK in page.text
    assert not page.all("img")
    assert len([each for each in page.all("script") if each.get("type") is None]) == 2
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not [name for _, attributes in page.elements for name in attributes if name == "style"]


def test_a_share_group_is_in_the_drawing_its_legend_and_its_details(tmp_path: Path):
    page = Page(page_of(written(tmp_path, HOSTILE.replace("brokers: 3", 'brokers: 3, kafka: "4.2"'))))
    classes = [(each.get("class") or "").split() for _, each in page.elements]
    assert sum("shareGroup" in each and "node" in each for each in classes) == 1
    assert sum("shareGroup" in each and "swatch" in each for each in classes) == 1
    assert "1 share group" in page.text
    assert f"share{ATTACK}" in page.text
    assert "share group of" in page.text


def test_hostile_names_stay_text_among_the_rows_that_are_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tables, "STATIC_ROWS", 1)
    page = Page(page_of(written(tmp_path, HOSTILE)))
    assert not page.all("img")
    blocks = [each for each in page.all("script") if each.get("type") == "application/json"]
    assert blocks
    assert len(page.all("script")) == len(blocks) + 2


def test_the_page_asks_for_nothing_and_may_not():
    markup = page_of(ROOT / "topology", CHECK)
    assert not re.findall(
        r"https?://|//[a-z]|url\((?!#)|@import", re.sub(r"<script>.*?</script>", "", markup, flags=re.DOTALL)
    )
    page = Page(markup)
    assert not [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object", "embed", "base")]
    assert not [each for each in page.all("script") if "src" in each]
    policy = next(meta["content"] or "" for meta in page.all("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_the_same_topology_gives_the_same_page():
    assert page_of(ROOT / "topology", CHECK) == page_of(ROOT / "topology", CHECK)


def test_a_secret_in_the_file_is_not_in_the_page(tmp_path: Path):
    markup = page_of(written(tmp_path, SECRET))
    assert "KT607" in markup
    assert "tiger-and-lion" not in markup
    assert details.MASKED in markup


def test_a_secret_whose_finding_is_suppressed_is_not_in_the_page_either(tmp_path: Path):
    ignored = SECRET.replace("{topics: [orders],", "{topics: [orders], ignore: {KT607: known},")
    markup = page_of(written(tmp_path, ignored))
    assert "1</b> suppressed finding" in markup
    assert "tiger-and-lion" not in markup


def test_record_checks_are_shown_with_charts():
    page = Page(page_of(ROOT / "topology", CHECK))
    assert "2 violations found. 1 topic could not be checked. 1 check was not made." in page.text
    assert "Could not be checked: no such topic" in page.text
    assert len([svg for svg in page.all("svg") if svg.get("class") == "meter"]) == 5
    assert "belongs in 3" in page.text
    assert "1 example of 2 violations" in page.text
    assert "not checked" in page.text
    assert "9f…" in page.text


def test_what_was_not_read_is_said():
    part = {
        "topic": "a",
        "partial": "only records since Monday were read",
        "notes": ["created again"],
        "ranges": [{"partition": 3, "records": 1, "gap": {"start": 5, "end": 9}}],
        "results": [{"check": "nulls", "status": "bounded", "violations": 1, "estimate": {"low": 1, "high": 90}}],
    }
    text = Page(page_of(ROOT / "examples/minimal", {"topics": [part]})).text
    for said in (
        "only records since Monday were read",
        "created again",
        "offsets 5 to 8 of partition 3 were deleted before they were read",
        "between 1 and 90 in the whole topic",
    ):
        assert said in text


def test_the_page_says_where_the_rows_are():
    checked = {"topics": [{"topic": "a", "results": [{"check": "nulls", "status": "exact", "violations": 2}]}]}
    rows = {"path": "/data/rows", "format": "json", "runId": "7f", "rows": 2, "problem": None}
    page = Page(page_of(ROOT / "examples/minimal", checked | {"violationRows": rows}))
    assert "Violations as data: 2 rows in /data/rows (json), run id 7f" in page.text


def test_what_was_not_checked_never_looks_fine():
    lost = {"path": "rows", "format": "json", "runId": "7f", "rows": 1, "problem": "1 row of 2"}
    fine = {"topics": [{"topic": "a", "results": [{"check": "nulls", "status": "exact", "violations": 0}]}]}
    for check, said in (
        (fine, "No violations in 1 topic."),
        ({"topics": [{"topic": "a", "results": [{"check": "nulls", "violations": None}]}]}, "1 check was not made."),
        ({"topics": [{"topic": "a", "results": []}]}, "No violations in what was checked."),
        ({"topics": []}, "The file holds no topic."),
        (fine | {"complete": False}, "The check was interrupted."),
        (fine | {"violationRows": lost}, "The violations as data are not complete: 1 row of 2"),
    ):
        page = Page(page_of(ROOT / "examples/minimal", check))
        assert said in page.text
        tones = [each.get("data-value") for each in page.all("p") if each.get("class") == "verdict"]
        assert (tones == ["fine"]) == (check is fine)


def test_a_check_with_surprises_is_shown_as_far_as_it_is_understood():
    odd = {
        "topics": [
            "what",
            {"records": 3},
            {"topic": "a", "records": "many", "ranges": {"no": 1}, "results": [{"violations": True}, 7]},
            {"topic": 5, "ranges": [{"partition": -1, "records": 2}], "results": None},
        ]
    }
    file = parse_checks(json.dumps(odd))
    assert [topic.topic for topic in file.topics] == ["a", "5"]
    assert file.not_understood == 5
    assert all(topic.unchecked for topic in file.topics)
    assert "Not understood, and not shown: 5 parts of the file." in Page(page_of(ROOT / "examples/minimal", odd)).text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON: "),
        ("{", "is not JSON: "),
        ("[" * 100_000, "is not JSON: "),
        ("[]", "has no list of topics; expected what `kafka-topology check --format json` writes"),
        ('{"topics": 1}', "has no list of topics; expected what `kafka-topology check --format json` writes"),
    ],
    ids=["empty", "cut", "deep", "a list", "a number"],
)
def test_what_is_no_check_is_refused(text: str, reason: str):
    with pytest.raises(BadCheckFile, match=f"^{reason}"):
        parse_checks(text)


def test_access_follows_prefixes_wildcards_and_denials(tmp_path: Path):
    text = """\
version: 1
topics:
  shop.a: {partitions: 1, replication: 1}
  shop.b: {partitions: 1, replication: 1}
acls:
  - {principal: "User:all", topic: shop., pattern: prefixed, operations: [All]}
  - {principal: "User:all", topic: shop.b, operations: [Write], permission: deny}
  - {principal: "User:far", topic: shop.a, operations: [Read], host: 10.0.0.1}
  - {principal: "User:*", topic: "*", operations: [Describe]}
"""
    loaded = load(written(tmp_path, text))
    assert loaded.topology is not None, loaded.problems
    access = Access(loaded.topology)
    assert access.of_topic("shop.a") == {
        "User:*": "look", "User:all": "read, write, manage", "User:far": "read (some hosts)",
    }  # fmt: skip
    assert access.of_topic("shop.b") == {"User:*": "look", "User:all": "read, manage"}


def test_a_large_topology_stays_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    topics = "".join(f"  t.{n}: {{owner: team-{n % 9}, partitions: 3, replication: 3}}\n" for n in range(2_000))
    groups = "".join(f"  g.{n}: {{topics: [t.{n}], principal: User:u{n}}}\n" for n in range(2_000))
    monkeypatch.setattr(details, "MAX_BYTES", 100_000)
    monkeypatch.setattr(tables, "MAX_ROWS", 1_500)
    file = written(tmp_path, f"version: 1\ntopics:\n{topics}consumerGroups:\n{groups}")
    topology = load(file).topology
    assert topology is not None
    drawn = topology_graph(topology).most_connected(300)
    found = Run(subject="x", folder=tmp_path, findings=())
    markup = render(Subject(topology, found, None, drawn))
    page = Page(markup)
    assert len(markup) < 1_000_000
    ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {(link["href"] or "")[1:] for link in page.all("a") if "href" in link and "class" not in link} <= ids
    assert "The drawing shows 300 of 4,000 resources" in page.text
    assert "resources are listed without their details" in page.text
    assert "2,500 more resources are not in this page" in page.text
    assert len(page.all("tr")) < 5_000


def test_the_command_writes_the_page(tmp_path: Path):
    check = tmp_path / "check.json"
    check.write_text(json.dumps(CHECK))
    output = tmp_path / "page.html"
    done = CliRunner().invoke(command, [str(ROOT / "topology"), "--check", str(check), "--output", str(output)])
    assert (done.exit_code, done.stdout) == (0, "")
    assert output.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--check", "/nowhere.json"], "/nowhere.json: no such file or directory"),
        (["--check", __file__], "is not JSON"),
        (["--focus", "nobody"], "is called nobody"),
        (["--output", "/"], "/ is a folder"),
    ],
)
def test_wrong_usage_ends_with_two_and_the_reason(arguments: list[str], said: str):
    done = CliRunner().invoke(command, [str(ROOT / "examples/minimal"), *arguments])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output
