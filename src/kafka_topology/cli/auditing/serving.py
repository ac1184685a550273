"""Serves the last look of a watch at /metrics, as Prometheus scrapes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

import click

from ...files import why
from ...report.findings.prometheus import CONTENT_TYPE, FORMAT

if TYPE_CHECKING:
    from ...report.run import Run

_PORTS: Final = range(1, 1 << 16)


@contextmanager
def served(listen: str | None) -> Iterator[Callable[[Run], None]]:
    """A function that takes the look to serve. Without an address, nothing is served."""
    if listen is None:
        yield lambda _: None
        return
    host, port = _address(listen)
    page: list[bytes] = []
    try:
        server = ThreadingHTTPServer((host, port), _handler(page))
    except OSError as error:
        raise click.BadParameter(f"cannot listen at {listen}: {why(error)}", param_hint="--listen") from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield lambda run: page.__setitem__(slice(None), [FORMAT.render(run).encode()])
    finally:
        server.shutdown()
        server.server_close()


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) not in _PORTS:
        raise click.BadParameter(f"`{listen}` is not HOST:PORT, such as 127.0.0.1:9308", param_hint="--listen")
    return host.strip("[]"), int(port)


def _handler(page: list[bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # a client that sends nothing must not hold a thread

        def do_GET(self) -> None:
            if self.path.partition("?")[0] != "/metrics":
                self._answer(HTTPStatus.NOT_FOUND, b"see /metrics\n", "text/plain; charset=utf-8")
            elif not page:
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"no look yet\n", "text/plain; charset=utf-8")
            else:
                self._answer(HTTPStatus.OK, page[0], CONTENT_TYPE)

        def _answer(self, status: HTTPStatus, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Requests are no news: the terminal shows the looks."""

    return Handler
