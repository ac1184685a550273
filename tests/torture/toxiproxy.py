"""Toxiproxy: one proxy before each broker, and what is done to the connections through it."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
Way = Literal["upstream", "downstream"]


def executable() -> str:
    cache = os.environ.get("KAFKA_TOPOLOGY_CACHE") or str(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafka-topology")
    )
    built = subprocess.run([ROOT / "tools" / "install-toxiproxy", cache], stdout=subprocess.PIPE, text=True, check=True)
    return built.stdout.strip()


@dataclass(frozen=True)
class Toxiproxy:
    """A running server. Upstream is what clients send, downstream what brokers answer."""

    address: str

    def add_proxy(self, name: str, listen: int, upstream: int) -> None:
        hosts = {"listen": f"127.0.0.1:{listen}", "upstream": f"127.0.0.1:{upstream}"}
        self._ask("POST", "/proxies", {"name": name, **hosts, "enabled": True})

    def proxies(self) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("GET", "/proxies")
        return found

    def add_toxic(self, proxy: str, kind: str, way: Way, **attributes: int) -> None:
        toxic = {"name": f"{kind}-{way}", "type": kind, "stream": way, "toxicity": 1.0, "attributes": attributes}
        self._ask("POST", f"/proxies/{proxy}/toxics", toxic)

    def drop(self, proxy: str) -> None:
        """Ends every connection through it, and lets new ones in."""
        for enabled in (False, True):
            self._ask("POST", f"/proxies/{proxy}", {"enabled": enabled})

    def heal(self) -> None:
        """No toxics, all proxies open."""
        self._ask("POST", "/reset", {})

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, method=method)  # noqa: S310 - on this machine
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            text = answer.read()
        return json.loads(text) if text else None


@contextmanager
def running(port: int, log: Path) -> Iterator[Toxiproxy]:
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [executable(), "-host", "127.0.0.1", "-port", str(port)], stdout=output, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            toxiproxy = Toxiproxy(f"http://127.0.0.1:{port}")
            _wait(toxiproxy, server)
            yield toxiproxy
        finally:
            server.terminate()


def _wait(toxiproxy: Toxiproxy, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            toxiproxy.proxies()
        except urllib.error.URLError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
