"""The report page in a real browser: clicked through, by keyboard, on a phone, in the dark and without scripts."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from modules import module_at

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("kafka-topology")
NODE = '.graph a.node[aria-label*="{}"]'
FOCUSED = "document.activeElement.textContent"
LABEL = "document.activeElement.getAttribute('aria-label')"
OPEN = "document.querySelector('article.current')?.querySelector('h3').textContent ?? null"
ATTACK = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
FAULTY = f"""\
version: 1
cluster: {{name: {json.dumps(ATTACK)}, kafka: "4.2", brokers: 3}}
topics:
  shop.orders: {{owner: checkout, description: {json.dumps(ATTACK)}, partitions: 6, replication: 3,
    config: {{min.insync.replicas: 3}}}}
  shop.payments: {{owner: payments, partitions: 6, replication: 3, config: {{min.insync.replicas: 3}}}}
producers:
  {json.dumps(ATTACK)}: {{owner: checkout, principal: User:checkout, topics: [shop.orders]}}
consumerGroups:
  shop.charge: {{owner: payments, principal: User:charge, topics: [shop.orders]}}
shareGroups:
  {json.dumps("packers" + ATTACK)}: {{owner: payments, principal: User:packers, topics: [shop.orders]}}
"""
CHECK = {
    "topics": [
        {
            "topic": "shop.orders",
            "records": 90,
            "ranges": [{"partition": n, "records": 10 + n} for n in range(6)],
            "results": [{"check": "nulls", "status": "exact", "violations": 1, "examples": [{"key": ATTACK}]}],
        }
    ]
}

AUDIT = {
    "findings": [
        {
            "rule": "KTA104",
            "severity": "error",
            "resource": "shop.orders",
            "resourceKind": "topic",
            "message": f"retention.ms is {ATTACK}",
            "fix": "run pulumi up",
            "location": {"file": "topology.yaml", "line": 4},
        },
        {
            "rule": "KTA206",
            "severity": "advice",
            "resource": "cluster",
            "resourceKind": "cluster",
            "message": "broker 2 leads 0 of 12",
            "fix": "",
            "location": {"file": "topology.yaml", "line": 2},
        },
    ],
    "couldNotCheck": [f"reading the quotas: {ATTACK}"],
    "live": {
        "brokers": [
            {"broker": 1, "rack": "a", "up": True, "leaders": 12, "replicas": 12},
            {"broker": 2, "rack": "b", "up": False, "leaders": 0, "replicas": 12},
        ],
        "groups": [
            {"group": "shop.charge", "state": "Stable", "members": 1, "lag": 250, "maxLag": 100},
            {"group": ATTACK, "state": "Empty", "members": 0, "lag": None, "maxLag": None},
        ],
    },
}

TEAMS = ("checkout", "payments", "customer-experience", "data-platform-and-analytics")


def wide_topology() -> str:
    """Thirty topics with long names, and findings of several rules and teams."""
    topics, producers = [], []
    for number in range(30):
        team = TEAMS[number % 4]
        name = f"{team}.orders-by-customer-and-region.version-{number}"
        config = ", config: {min.insync.replicas: 3}" if number % 3 == 0 else ""
        topics.append(f"  {name}: {{owner: {team}, profile: event, partitions: 6{config}}}\n")
        producers.append(f"  writer-{number}: {{owner: {team}, principal: 'User:{team}-{number}', topics: [{name}]}}\n")
    return (
        "version: 1\ncluster: {brokers: 6}\nprofiles:\n  event: {replication: 3, retention: 7d}\n"
        "environments:\n  staging: {profiles: {event: {retention: 1d}}}\n  prod: {}\n"
        f"topics:\n{''.join(topics)}producers:\n{''.join(producers)}"
    )


def tool() -> ModuleType:
    return module_at(ROOT / "tools/browser.py")


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with tool().Browser() as browser:
        yield browser


def report(to: Path, *arguments: str, folder: Path = ROOT) -> str:
    page = to / "report.html"
    command = [str(COMMAND), "report", *arguments, "--output", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return page.as_uri()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    return report(tmp_path_factory.mktemp("shop"), "topology")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "topology.yaml").write_text(FAULTY)
    (folder / "check.json").write_text(json.dumps(CHECK))
    (folder / "audit.json").write_text(json.dumps(AUDIT))
    seen = ("--check", str(folder / "check.json"), "--audit", str(folder / "audit.json"))
    return report(folder, str(folder / "topology.yaml"), *seen)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("wide")
    (folder / "topology.yaml").write_text(wide_topology())
    environments = ("--env", "staging", "--env", "prod", "--link-base", "https://git.example/blob/main")
    return report(folder, "topology.yaml", *environments, folder=folder)


@pytest.fixture(scope="module")
def change(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("change")
    after = FAULTY.replace("shop.payments: {owner: payments", f"shop.new: {{description: {json.dumps(ATTACK)}")
    (folder / "before.yaml").write_text(FAULTY)
    (folder / "after.yaml").write_text(after.replace("User:charge, topics: [", "User:charge, topics: [shop.new, "))
    command = [str(COMMAND), "diff", "before.yaml", "after.yaml", "--format", "page=change.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return (folder / "change.html").as_uri()


@pytest.fixture(autouse=True)
def quiet(browser) -> Iterator[None]:
    """Whatever a test does, the page complains about nothing and asks for nothing but itself."""
    browser.emulate(1400, 900)
    yield
    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith("file:")] == []
    assert len(browser.requests()) == 1


def size(file: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", file.read_bytes()[16:24])
    return width, height


def test_a_click_on_a_node_shows_its_details(browser, shop: str) -> None:
    browser.open(shop)
    assert browser.evaluate(OPEN) is None
    browser.click(NODE.format("topic shop.orders"))
    assert browser.evaluate(OPEN) == "shop.orders"
    assert browser.evaluate(FOCUSED) == "shop.orders"
    text = browser.evaluate("document.querySelector('article.current').innerText")
    for said in ("topology/checkout.yaml:10", "profile event", "User:shop-charge may read", "Written by"):
        assert said in text
    lit = "[...document.querySelectorAll('.graph a.node:not(.dim) .name')].map(n => n.textContent).sort().join()"
    assert browser.evaluate(lit) == "checkout,shop.charge,shop.enrich,shop.orders"


def test_links_in_the_details_lead_on_and_back_leads_back(browser, shop: str) -> None:
    browser.open(shop)
    browser.click(NODE.format("topic shop.orders"))
    browser.click("article.current ul a")
    assert browser.evaluate(OPEN) == "checkout"
    browser.evaluate("new Promise(done => { addEventListener('popstate', () => done()); history.back(); })")
    assert browser.evaluate(OPEN) == "shop.orders"
    browser.click("aside .close")
    assert browser.evaluate(OPEN) is None


def test_an_address_opens_its_resource(browser, shop: str) -> None:
    browser.open(shop)
    browser.click(NODE.format("streams application shop.enrich"))
    address = browser.evaluate("location.href")
    browser.open("about:blank")
    browser.open(address)
    assert browser.evaluate(OPEN) == "shop.enrich"


def test_everything_can_be_done_by_keyboard(browser, shop: str) -> None:
    browser.open(shop)
    browser.press("Tab")
    assert browser.evaluate(FOCUSED) == "Skip to the content"
    for _ in range(40):
        browser.press("Tab")
        if str(browser.evaluate(LABEL)).startswith("producer accounts"):
            break
    browser.press("ArrowRight")
    assert browser.evaluate(LABEL).startswith("topic shop.customers")
    outline = "getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth"
    assert browser.evaluate(outline) == "4px"
    browser.press("Enter")
    assert browser.evaluate(OPEN) == "shop.customers"
    browser.press("Escape")
    assert browser.evaluate(OPEN) is None
    assert browser.evaluate(LABEL).startswith("topic shop.customers")
    browser.press("ArrowLeft")
    assert browser.evaluate(LABEL).startswith("producer accounts")


def test_findings_are_filtered(browser, faulty: str) -> None:
    browser.open(faulty)
    rows = "document.querySelectorAll('#findings-table tbody tr').length"
    shown = "document.querySelector('#findings-table output').textContent"
    everything = browser.evaluate(rows)
    choose = (
        "(() => {{ const choice = document.querySelector('#findings-table select[data-column=\"{}\"]');"
        "choice.value = '{}'; choice.dispatchEvent(new Event('change')); }})()"
    )
    browser.evaluate(choose.format(1, "KT101"))
    assert browser.evaluate(rows) == 2
    assert browser.evaluate(shown) == f"2 of {everything} findings"
    browser.evaluate(choose.format(3, "payments"))
    assert browser.evaluate("document.querySelector('#findings-table tbody').innerText").count("shop.payments") > 0
    assert browser.evaluate(rows) == 1
    browser.evaluate(choose.format(1, "") + ";" + choose.format(3, ""))
    browser.evaluate(choose.format(0, "error"))
    assert 0 < browser.evaluate(rows) < everything
    browser.evaluate(choose.format(0, ""))
    browser.click("#findings-table input")
    browser.type("nothing has these words")
    assert browser.evaluate(rows) == 0
    assert browser.evaluate(shown) == f"0 of {everything} findings"


def test_the_audit_is_shown_with_charts_and_leads_to_what_it_is_about(browser, faulty: str) -> None:
    browser.open(faulty)
    browser.click('nav a[href="#audit"]')
    assert browser.evaluate("location.hash") == "#audit"
    text = browser.evaluate("document.getElementById('audit').innerText")
    assert "1 error, 1 advice found on the live cluster. Not everything could be checked:" in text
    assert f"reading the quotas: {ATTACK}" in text
    rows = "[...document.querySelectorAll('#audit .chart tbody tr')].map(row => row.innerText)"
    lag, unknown, first, down = (" ".join(row.split()) for row in browser.evaluate(rows))
    assert (lag, first, down) == ("shop.charge 250 100 1", "1 (a) 12 12 up", "2 (b) 0 12 down")
    assert unknown.endswith("unknown 0")
    widths = "[...document.querySelectorAll('#audit .meter rect')].map(bar => bar.getAttribute('width')).join()"
    assert browser.evaluate(widths) == "100.0%,0.0%,100.0%,0.0%"
    browser.evaluate("document.querySelector('#audit .scroll').focus()")
    assert browser.evaluate(LABEL) == "Lag of each group"  # what scrolls can be reached and has a name
    browser.click("#audit-table tbody th a")
    assert browser.evaluate(OPEN) == "shop.orders"


@pytest.mark.parametrize("width", [390, 1400])
def test_the_audit_fits_its_screen(browser, faulty: str, width: int) -> None:
    browser.emulate(width, 844, phone=width < 700)
    browser.open(faulty)
    right = "[...document.querySelectorAll('#audit .chart-box')].map(box => box.getBoundingClientRect().right)"
    assert max(browser.evaluate(right)) <= width
    assert browser.evaluate("document.documentElement.scrollWidth") == width


def test_hostile_names_are_only_shown(browser, faulty: str) -> None:
    browser.open(faulty)
    browser.click(NODE.format("topic shop.orders"))
    assert ATTACK in browser.evaluate("document.querySelector('article.current').innerText")
    assert browser.evaluate("document.title").startswith("Kafka topology <script>")
    browser.click(NODE.format("share group packers"))
    assert browser.evaluate(OPEN) == f"packers{ATTACK}"
    assert browser.evaluate("document.title").startswith("Kafka topology <script>")
    assert browser.evaluate("document.images.length") == 0


def test_without_scripts_everything_is_there(browser, faulty: str) -> None:
    browser.emulate(1400, 900, scripts=False)
    browser.open(faulty)
    browser.emulate(1400, 900)  # only to look: the page's own script did not run
    assert browser.evaluate("document.documentElement.className") == ""
    shown = browser.evaluate("[...document.querySelectorAll('article')].every(a => a.checkVisibility())")
    assert shown
    browser.click(NODE.format("topic shop.orders"))
    assert browser.evaluate("document.querySelector('article:target h3').textContent") == "shop.orders"
    assert browser.evaluate("document.querySelector('.filters').checkVisibility()") is False


VIEWS = {
    "desktop": {"width": 1400, "height": 900},
    "dark": {"width": 1400, "height": 900, "dark": True},
    "phone": {"width": 390, "height": 844, "phone": True},
}


@pytest.mark.parametrize("name", VIEWS)
def test_it_is_readable_everywhere(browser, shop: str, tmp_path: Path, name: str) -> None:
    view = VIEWS[name]
    browser.emulate(**view)
    browser.open(shop)
    assert browser.evaluate("document.documentElement.scrollWidth") == view["width"], "the page scrolls sideways"
    browser.click(NODE.format("topic shop.orders"))
    assert browser.evaluate(OPEN) == "shop.orders"
    panel = browser.evaluate(
        "(() => { const box = document.querySelector('aside').getBoundingClientRect();"
        "return [box.left >= 0, box.right <= innerWidth, box.bottom <= innerHeight + 1]; })()"
    )
    assert panel == [True, True, True]
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(20, 23, 28)" if name == "dark" else "rgb(255, 255, 255)")
    browser.screenshot(tmp_path / f"{name}.png")
    scale = 2 if name == "phone" else 1
    assert size(tmp_path / f"{name}.png") == (view["width"] * scale, view["height"] * scale)


def test_no_text_of_the_graph_lies_outside_its_box(browser, shop: str) -> None:
    browser.open(shop)
    outside = browser.evaluate(
        "[...document.querySelectorAll('.graph a.node')].filter(node => {"
        "const box = node.querySelector('rect, polygon').getBBox();"
        "return [...node.querySelectorAll('text')].some(text => { const at = text.getBBox();"
        "return at.x < box.x || at.x + at.width > box.x + box.width; }); }).map(node => node.textContent)"
    )
    assert outside == []


def reopened(browser, address: str) -> None:
    """Loads the page, even if only the part after # differs from the one that is open."""
    browser.open("about:blank")
    browser.open(address)


SCREENS = {"phone": (390, 844), "laptop": (1280, 800), "wide": (1920, 1080)}
BROKEN = (
    "[...document.querySelectorAll('.name, .where, .matrix th')].filter(at => at.checkVisibility()).flatMap(at => {"
    "const walk = document.createTreeWalker(at, NodeFilter.SHOW_TEXT), broken = [];"
    "while (walk.nextNode()) { const range = document.createRange(); range.selectNodeContents(walk.currentNode);"
    "if (!/\\s/.test(walk.currentNode.data) && range.getClientRects().length > 1) broken.push(walk.currentNode.data); }"
    "return broken; })"
)
FITS = (
    "(() => { const [frame, svg] = ['.drawing', '.drawing svg'].map(each => "
    "document.querySelector('#e1-graph ' + each)); document.querySelector('#e1-graph [data-zoom=fit]').click();"
    "return [frame.scrollWidth <= frame.clientWidth, frame.scrollHeight <= frame.clientHeight,"
    "svg.getBoundingClientRect().width > 50]; })()"
)
STUCK = (
    "(() => { const box = document.querySelector('#e1-access .matrix-box'); box.scrollTo(200, 250);"
    "const at = box.getBoundingClientRect();"
    "const [corner, head, side] = ['thead th', 'thead th:nth-child(4)', 'tbody tr:nth-child(9) th'].map("
    "each => box.querySelector(each).getBoundingClientRect());"
    "return [corner.left - at.left < 3, corner.top - at.top < 3, head.top - at.top < 3, side.left - at.left < 3,"
    "box.scrollLeft > 0, box.scrollTop > 0]; })()"
)


@pytest.mark.parametrize("screen", SCREENS)
def test_many_resources_fit_every_screen(browser, wide: str, screen: str) -> None:
    width, height = SCREENS[screen]
    browser.emulate(width, height, phone=screen == "phone")
    reopened(browser, f"{wide}#e1-environment")
    assert browser.evaluate("document.documentElement.scrollWidth") == width, "the page scrolls sideways"
    assert browser.evaluate(BROKEN) == []
    assert browser.evaluate(FITS) == [True, True, True]
    assert browser.evaluate(STUCK) == [True] * 6
    browser.click("#e1-graph a.node")
    assert browser.evaluate(BROKEN) == []


def test_totals_lead_to_their_findings_and_places_to_their_lines(browser, wide: str) -> None:
    reopened(browser, f"{wide}#e1-findings")
    shown = "document.querySelector('#e1-findings-table output').textContent"
    everything = browser.evaluate(shown)
    first = "document.querySelector('#e1-findings .totals tbody tr').innerText.split(/\\s+/).slice(0, 4)"
    assert browser.evaluate(first) == ["KT101", "error", "10", "10"]
    browser.click("#e1-findings .totals tbody a")
    assert browser.evaluate(shown).startswith("10 of ")
    team = "[...document.querySelectorAll('#e1-findings .totals a')].find(link => link.textContent === 'payments')"
    browser.evaluate(f"{team}.click()")
    teams = "[...new Set([...document.querySelectorAll('#e1-findings-table td.team')].map(c => c.textContent))]"
    assert browser.evaluate(teams) == ["payments"]
    browser.click("#e1-findings-table .clear")
    assert browser.evaluate(shown) == everything
    link = "document.querySelector('#e1-findings-table td.where a').href"
    assert browser.evaluate(link).startswith("https://git.example/blob/main/topology.yaml#L")


def test_the_graph_is_searched_by_words_and_by_team(browser, wide: str) -> None:
    reopened(browser, f"{wide}#e1-graph")
    found = "[...document.querySelectorAll('#e1-graph .found .name')].map(n => n.textContent)"
    said = "document.querySelector('#e1-graph output').textContent"
    lit = "document.querySelectorAll('#e1-graph a.node:not(.dim)').length"
    browser.click("#e1-graph .find input")
    browser.type("producer WRITER-17")
    assert browser.evaluate(found) == ["writer-17"]
    assert (browser.evaluate(said), browser.evaluate(lit)) == ("1 of 60 found", 2)
    browser.press("Enter")
    assert browser.evaluate(LABEL).startswith("producer writer-17")
    browser.press("Enter")
    browser.press("Escape")
    assert browser.evaluate(lit) == 2  # the search is still there after the details were closed
    browser.evaluate(
        "(() => { const [text, team] = ['input', 'select'].map(n => document.querySelector('#e1-graph .find ' + n));"
        "text.value = ''; team.value = 'payments'; team.dispatchEvent(new Event('change')); })()"
    )
    assert browser.evaluate(said) == "16 of 60 found"


def test_environments_are_shown_one_at_a_time_and_compared(browser, wide: str) -> None:
    browser.open(wide)
    seen = (
        "[...document.querySelectorAll('#environments, .environment')].filter(e => e.checkVisibility()).map(e => e.id)"
    )
    assert browser.evaluate(seen) == ["environments"]
    rows = browser.evaluate("document.querySelector('#differences-table tbody').innerText")
    assert " ".join(rows.split()).startswith("config.retention.ms topic 86400000 604800000 30 of 4 teams")
    browser.click('nav .chooser a[href="#e1-environment"]')
    assert browser.evaluate(seen) == ["e1-environment"]
    browser.click('nav a[href="#e1-access"]')
    assert browser.evaluate("document.getElementById('e1-access').getBoundingClientRect().top < 200")
    browser.click("#e1-access .matrix tbody a")
    assert browser.evaluate(seen) == ["e1-environment"]
    assert "604800000" in browser.evaluate("document.querySelector('article.current').innerText")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_change_is_shown_before_and_after(browser, change: str, screen: str) -> None:
    width, height = SCREENS[screen]
    browser.emulate(width, height, phone=screen == "phone", dark=screen == "wide")
    reopened(browser, change)
    assert browser.evaluate("document.documentElement.scrollWidth") == width, "the page scrolls sideways"
    assert browser.evaluate(BROKEN) == []
    names = (
        "[...document.querySelectorAll('.graph a.node')].filter(node => node.checkVisibility())"
        ".map(node => node.querySelector('.name').textContent).sort().join()"
    )
    view = "document.querySelector('.views input[value=\"{}\"]').click()"
    assert browser.evaluate(names) == "shop.charge,shop.new,shop.orders,shop.payments"
    browser.evaluate(view.format("before"))
    assert browser.evaluate(names) == "shop.charge,shop.orders,shop.payments"
    browser.evaluate(view.format("after"))
    assert browser.evaluate(names) == "shop.charge,shop.new,shop.orders"
    browser.click("#changes-table tbody th a")
    assert browser.evaluate(OPEN) == "shop.payments"
    assert "destructive" in browser.evaluate("document.querySelector('article.current').innerText")
    assert browser.evaluate("document.images.length") == 0
