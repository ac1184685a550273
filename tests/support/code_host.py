"""The API of a code host on loopback: comments and issues of GitHub and GitLab, in pages of at most 100."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

_TOKENS = {"Bearer hunter2-token", "hunter2-token"}


class CodeHost:
    """Keeps comments, whose authors GitHub calls by login and GitLab by id. `refuse` is the answer to every write."""

    bot = "github-actions[bot]"

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.issues: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.refuse = 0
        self.redirect = ""
        self.next_page = ""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, body: str, author: str) -> int:
        number = len(self.comments) + 1
        account = {"login": author, "id": 42 if author == self.bot else 1}
        self.comments.append({"id": number, "body": body, "user": account, "author": account, "system": False})
        return number

    def open(self, body: str, author: str, **more: Any) -> int:
        """An issue, with the fields of both hosts: one numbers it `number` and has a `body`, the other says `iid`."""
        number = len(self.issues) + 1
        account = {"login": author, "id": 42 if author == self.bot else 1}
        held = {"number": number, "iid": number, "user": account, "author": account, "state": "opened"}
        self.issues.append({**held, "body": body, "description": body, **more})
        return number

    def listed(self, path: str) -> list[dict[str, Any]]:
        """GitHub lists open issues only, and GitLab all."""
        if not path.endswith("/issues"):
            return self.comments
        return [each for each in self.issues if path.startswith("/projects/") or each["state"] == "opened"]

    def written(self, is_new: bool, path: str, body: dict[str, Any]) -> None:
        if path.endswith("/issues"):
            self.open(body.get("body") or body["description"], self.bot, title=body["title"])
        elif path.rpartition("/")[0].endswith("/issues"):
            state = {"closed": "closed", "close": "closed"}.get(
                body.get("state", body.get("state_event", "")), "opened"
            )
            self.issues[int(path.rpartition("/")[2]) - 1].update({**body, "state": state})
        elif is_new:
            self.add(body["body"], self.bot)
        else:
            self.comments[int(path.rpartition("/")[2]) - 1]["body"] = body["body"]


def _handler(host: CodeHost) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - one small server
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Keeps the test's output clean."""

        def _answer(self, code: int, held: object, **headers: str) -> None:
            body = json.dumps(held).encode()
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _is_allowed(self) -> bool:
            host.requests.append((self.command, urlsplit(self.path).path))
            given = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
            if given not in _TOKENS:
                self._answer(401, {"message": "Bad credentials"})
                return False
            return True

        def do_GET(self) -> None:
            if not self._is_allowed():
                return
            if host.redirect:
                self._answer(302, {}, Location=host.redirect)
                return
            parts = urlsplit(self.path)
            if parts.path == "/user":
                self._answer(200, {"id": 42})
                return
            asked = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
            page, size = asked.get("page", 1), min(asked.get("per_page", 30), 100)
            listed = host.listed(parts.path)
            held = listed[(page - 1) * size : page * size]
            following = f"{host.address}{parts.path}?per_page={size}&page={page + 1}"
            headers = {}
            if host.next_page or page * size < len(listed):
                headers["Link"] = f'<{host.next_page or following}>; rel="next"'
            self._answer(200, held, **headers)

        def _write(self) -> None:
            if not self._is_allowed():
                return
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if host.refuse:
                self._answer(host.refuse, {"message": "Resource not accessible by integration"})
                return
            host.written(self.command == "POST", urlsplit(self.path).path, body)
            self._answer(201 if self.command == "POST" else 200, {})

        do_POST = do_PATCH = do_PUT = _write  # noqa: N815 - the names that the server calls

    return Handler
