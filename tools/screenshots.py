"""Takes the pictures in docs/images: the report page of examples/shop and of what `make demo` found.

usage: screenshots.py [FOLDER of the demo]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
DEMO = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".demo").resolve()
CHECK, AUDIT = DEMO / "report.json", DEMO / "audit.json"
COMMAND = Path(sys.executable).with_name("kafka-topology")
ORDERS = '.graph a.node[aria-label^="topic shop.orders"]'


def main() -> int:
    if not CHECK.is_file() or not AUDIT.is_file():
        print(f"{CHECK} or {AUDIT} is missing: run `make demo` first, or name another folder", file=sys.stderr)
        return 2
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        shop = page(Path(folder, "shop.html"), "examples/shop")
        minimal = page(Path(folder, "minimal.html"), "examples/minimal", "--check", str(CHECK), "--audit", str(AUDIT))
        browser.emulate(1460, 720)
        browser.open(shop)
        browser.click(ORDERS)
        browser.evaluate("document.getElementById('graph').scrollIntoView()")
        browser.screenshot(IMAGES / "report.png")
        browser.emulate(1200, 760, dark=True)
        browser.open(minimal)
        browser.evaluate("document.getElementById('checks').scrollIntoView()")
        browser.screenshot(IMAGES / "report-dark.png")
        browser.emulate(1200, 560)
        browser.open(minimal)
        browser.evaluate("document.getElementById('audit').scrollIntoView()")
        browser.screenshot(IMAGES / "report-audit.png")
        browser.emulate(390, 700, phone=True)
        browser.open(shop)
        browser.click(ORDERS)
        browser.screenshot(IMAGES / "report-phone.png")
    return 0


def page(file: Path, *arguments: str) -> str:
    subprocess.run([COMMAND, "report", *arguments, "--output", str(file)], check=True, cwd=ROOT)
    return file.as_uri()


if __name__ == "__main__":
    sys.exit(main())
