"""A headless Chromium, driven through a pair of pipes: no port, no driver program, no package.

Used by the test of the report page and by the screenshots in the docs.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--remote-debugging-pipe", "--force-color-profile=srgb",
)  # fmt: skip
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38}
PATIENCE = 60.0


class BrowserFailed(Exception):
    """The browser is missing, went away or refused; the message says which."""


class Browser:
    """One browser with one page. Everything the page logged, threw or asked for is in `events`."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._count = 0
        self._buffer = b""
        self._profile = tempfile.mkdtemp(prefix="kafka-topology-browser-")
        self._start()
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def _start(self) -> None:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise BrowserFailed("no Chromium on PATH: run tools/install-chromium")
        # The browser reads from descriptor 3 and writes to 4; ours are moved out of their way first.
        its_input, self._input = (_moved(end) for end in os.pipe())
        self._output, its_output = (_moved(end) for end in os.pipe())
        pipes = f'exec "$@" 3<&{its_input} 4>&{its_output}'
        command = ["bash", "-c", pipes, "-", program, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(its_input, its_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._session: str | None = None
        os.close(its_input)
        os.close(its_output)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._input)
        os.close(self._output)
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._input, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._read(until)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise BrowserFailed(f"{method}: {answer['error'].get('message')}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self, until: float) -> dict[str, Any]:
        """The next message; those that answer nothing are kept as events."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._output], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise BrowserFailed(f"the browser did not answer in {PATIENCE:.0f} s")
            data = os.read(self._output, 1 << 20)
            if not data:
                raise BrowserFailed("the browser ended")
            self._buffer += data
        first, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        if "id" not in message:
            self.events.append(message)
        return message

    def open(self, url: str) -> None:
        self.events.clear()
        self.send("Page.navigate", url=url)
        until = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read(until)

    def evaluate(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def emulate(
        self, width: int, height: int, *, dark: bool = False, phone: bool = False, scripts: bool = True
    ) -> None:
        scale = 2 if phone else 1
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, still])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)

    def click(self, selector: str) -> None:
        """With the mouse, where the element is."""
        place = self.evaluate(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)}); if (!found) return null;"
            "found.scrollIntoView({block: 'center', inline: 'center'});"
            "const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        if place is None:
            raise BrowserFailed(f"there is no {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", buttons=1, clickCount=1
            )

    def press(self, key: str) -> None:
        typed = {"text": "\r"} if key == "Enter" else {}
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        self.send("Input.dispatchKeyEvent", type="keyDown", **code, **typed)
        self.send("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def screenshot(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[str]:
        """Errors and warnings that the page caused, in the console or in the browser's own log."""
        said = []
        for event in self.events:
            held = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                said.append(str(held["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and held["type"] in ("error", "warning", "assert"):
                said.append(str(held["args"]))
            elif event["method"] == "Log.entryAdded" and held["entry"]["level"] in ("error", "warning"):
                said.append(held["entry"]["text"])
        return said

    def requests(self) -> list[str]:
        return [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]


def _moved(descriptor: int) -> int:
    """The same pipe under a number above those that the browser wants."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved
