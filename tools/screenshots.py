"""Takes the pictures in docs/images: the report page of what `make demo` found, and the review of the tutorial.

usage: screenshots.py [FOLDER of the demo]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser
from github_comment import as_html
from tutorial import PullRequest, first_change

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
DEMO = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".demo").resolve()
CHECK, AUDIT = DEMO / "report.json", DEMO / "audit.json"
COMMAND = Path(sys.executable).with_name("kafka-topology")
ORDERS = '.graph a.node[aria-label^="topic shop.orders"]'
REVIEW = "kafka-topology review topology/ --base main --env prod --format markdown"


def main() -> int:
    if not CHECK.is_file() or not AUDIT.is_file():
        print(f"{CHECK} or {AUDIT} is missing: run `make demo` first, or name another folder", file=sys.stderr)
        return 2
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        take_report(browser, Path(folder, "report.html"))
        take_review(browser, Path(folder))
    return 0


def take_report(browser: Browser, file: Path) -> None:
    command = [COMMAND, "report", "topology", "--no-stack", "--check", CHECK, "--audit", AUDIT, "--output", file]
    subprocess.run(command, check=True, cwd=ROOT)
    browser.emulate(1460, 600)
    browser.open(file.as_uri())
    browser.click(ORDERS)
    browser.evaluate("document.getElementById('graph').scrollIntoView()")
    browser.screenshot(IMAGES / "report.png")
    browser.emulate(1200, 700, dark=True)
    browser.open(file.as_uri())
    browser.evaluate("document.getElementById('checks').scrollIntoView()")
    browser.screenshot(IMAGES / "report-dark.png")
    browser.emulate(1200, 580)
    browser.open(file.as_uri())
    browser.evaluate("document.getElementById('audit').scrollIntoView()")
    browser.screenshot(IMAGES / "report-audit.png")
    browser.emulate(390, 700, phone=True)
    browser.open(file.as_uri())
    browser.click(ORDERS)
    browser.screenshot(IMAGES / "report-phone.png")


def take_review(browser: Browser, folder: Path) -> None:
    request = PullRequest(folder / "pull-request")
    request.change(first_change())
    file = folder / "review.html"
    file.write_text(as_html(request.run(REVIEW)), encoding="utf-8")
    browser.emulate(1000, 100)
    browser.open(file.as_uri())
    browser.emulate(1000, browser.evaluate("document.documentElement.scrollHeight"))
    browser.screenshot(IMAGES / "review.png")


if __name__ == "__main__":
    sys.exit(main())
