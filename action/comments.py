"""Writes the review as a comment on a pull request of GitHub or a merge request of GitLab, or updates the one it wrote.

Run it as a program: it needs nothing but Python. Everything comes in variables of the environment. It changes only
comments that start with the mark of the review and were written by its own account. It ends with 1, and says why, if a
request is refused, and then it claims nothing.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MARK = re.compile(r"<!-- kafka-topology:review[A-Za-z0-9:._/-]* -->")
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_MOST_PAGES = 1000
_SECONDS = 30


class Refused(Exception):
    """A request did not succeed; the message says which, and why."""


def _origin(address: str) -> str:
    parts = urllib.parse.urlsplit(address)
    if parts.scheme not in ("https", "http") or not parts.netloc:
        raise Refused(f"{address} is not the address of an API")
    return f"{parts.scheme}://{parts.netloc}"


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows no redirection to another host: it would get the token."""

    def redirect_request(  # noqa: PLR0917 - the signature of urllib
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if _origin(newurl) != _origin(req.full_url):
            raise Refused(f"{req.full_url} redirects to another host, {_origin(newurl)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_SameHost)


@dataclass(frozen=True)
class Comment:
    id: int
    body: str
    author: str


class Host:
    """The requests that both hosts answer alike."""

    noun = "comment"
    update_method = "PATCH"

    def __init__(self, comments: str, headers: Mapping[str, str]) -> None:
        self.comments = comments
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **headers}

    def request(self, method: str, address: str, body: object = None) -> tuple[Any, Mapping[str, str]]:
        if _origin(address) != _origin(self.comments):  # the token is for one host only
            raise Refused(f"{method} {address} is not on {_origin(self.comments)}")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, dict(self._headers), method=method)  # noqa: S310 - checked
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                return json.loads(answer.read() or b"null"), answer.headers
        except urllib.error.HTTPError as error:
            told = error.read(500).decode(errors="replace").strip()
            raise Refused(f"{method} {address} answered {error.code} {error.reason}: {told}") from None
        except (OSError, ValueError) as error:
            raise Refused(f"{method} {address} failed: {error}") from None

    def pages(self) -> Iterator[Comment]:
        """All comments, however many pages there are."""
        address = f"{self.comments}?per_page=100"
        for _ in range(_MOST_PAGES):
            held, headers = self.request("GET", address)
            if not isinstance(held, list):
                raise Refused(f"GET {address} answered no list of comments")
            yield from map(self.comment, held)
            following = _NEXT.search(headers.get("Link") or "")
            if following is None:
                return
            address = urllib.parse.urljoin(address, following[1])

    def comment(self, held: Mapping[str, Any]) -> Comment:
        raise NotImplementedError

    def author(self) -> str:
        raise NotImplementedError

    def address(self, comment: Comment) -> str:
        raise NotImplementedError

    def write(self, body: str) -> None:
        self.request("POST", self.comments, {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        self.request(self.update_method, self.address(comment), {"body": body})


class GitHub(Host):
    def __init__(self, given: Mapping[str, str]) -> None:
        self._api = given.get("GITHUB_API_URL") or "https://api.github.com"
        self._repository = f"{self._api}/repos/{urllib.parse.quote(given['GITHUB_REPOSITORY'])}"
        self._author = given.get("COMMENT_AUTHOR") or "github-actions[bot]"
        number = urllib.parse.quote(given["PULL_REQUEST"], safe="")
        headers = {"Authorization": f"Bearer {given.get('GH_TOKEN', '')}", "X-GitHub-Api-Version": "2022-11-28"}
        super().__init__(f"{self._repository}/issues/{number}/comments", headers)

    def author(self) -> str:
        return self._author

    def comment(self, held: Mapping[str, Any]) -> Comment:
        return Comment(int(held["id"]), str(held.get("body") or ""), str((held.get("user") or {}).get("login")))

    def address(self, comment: Comment) -> str:
        return f"{self._repository}/issues/comments/{comment.id}"


class GitLab(Host):
    noun = "note"
    update_method = "PUT"

    def __init__(self, given: Mapping[str, str]) -> None:
        self._api = given["CI_API_V4_URL"]
        project, number = (
            urllib.parse.quote(given[name], safe="") for name in ("CI_PROJECT_ID", "CI_MERGE_REQUEST_IID")
        )
        notes = f"{self._api}/projects/{project}/merge_requests/{number}/notes"
        super().__init__(notes, {"PRIVATE-TOKEN": given["GITLAB_TOKEN"]})

    def author(self) -> str:
        """The account of the token: a project's or a group's token has its own."""
        return str(self.request("GET", f"{self._api}/user")[0]["id"])

    def comment(self, held: Mapping[str, Any]) -> Comment:
        # What the host itself writes is nobody's note.
        author = "" if held.get("system") else str((held.get("author") or {}).get("id"))
        return Comment(int(held["id"]), str(held.get("body") or ""), author)

    def address(self, comment: Comment) -> str:
        return f"{self.comments}/{comment.id}"


def comment_on(host: Host, body: str, *, has_content: bool) -> str:
    """What was done. Without content, only a comment that is there already is updated."""
    first_line = body.partition("\n")[0]
    if not _MARK.fullmatch(first_line):
        raise Refused("the review does not start with its mark")
    author = host.author()
    own = [each for each in host.pages() if each.author == author and each.body.startswith(first_line)]
    if not own:
        if not has_content:
            return f"nothing changes, so no {host.noun} is written"
        host.write(body)
        return f"wrote a {host.noun}"
    kept = own[-1]
    for each in own[:-1]:
        host.update(each, _superseded(first_line))
    if kept.body.strip() == body.strip():
        return f"the {host.noun} {kept.id} is up to date"
    host.update(kept, body)
    return f"updated the {host.noun} {kept.id}"


def _superseded(mark: str) -> str:
    """Without the mark at its start, so it is no review any more."""
    return f"<sub>A later review of this topology replaces this one.</sub>\n{mark.replace(':review', ':superseded')}"


def _has_content(told: Mapping[str, Any]) -> bool:
    """Whether a review, as JSON, says more than that nothing changes."""
    new = any(finding["new"] for finding in told["findings"])
    return bool(told["changes"] or new or told["drift"] or told["couldNotCheck"])


def main(arguments: list[str]) -> int:
    kind, review, document = arguments
    try:
        body = Path(review).read_text(encoding="utf-8")
        told = json.loads(Path(document).read_text(encoding="utf-8"))
        host = {"github": GitHub, "gitlab": GitLab}[kind](os.environ)
        print(comment_on(host, body, has_content=_has_content(told)))
    except (Refused, OSError, ValueError, KeyError) as error:
        what = f"{error} is not set" if isinstance(error, KeyError) else str(error)
        print(f"could not write the comment: {what}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
