"""One issue for each stack: opened when the cluster is not as declared, updated while it lasts, and closed after it.

python3 -I -m kafka_topology.action.issues github|gitlab STACK EXIT_CODE FILE
"""

from __future__ import annotations

import os
import re
import sys
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kafka_topology.action.comments import Comment, Host, Refused

_LONGEST = 60_000  # GitHub takes 65,536 characters
_MEANING = {1: "there are findings", 2: "the look could not start", 3: "not everything could be checked"}


class GitHubIssues(Host):
    noun = "issue"
    text, closed = "body", {"state": "closed"}

    def __init__(self, given: Mapping[str, str]) -> None:
        api = given.get("GITHUB_API_URL") or "https://api.github.com"
        self._author = given.get("COMMENT_AUTHOR") or "github-actions[bot]"
        headers = {"Authorization": f"Bearer {given['GH_TOKEN']}", "X-GitHub-Api-Version": "2022-11-28"}
        super().__init__(f"{api}/repos/{urllib.parse.quote(given['GITHUB_REPOSITORY'])}/issues", headers)

    def author(self) -> str:
        return self._author

    def comment(self, held: Mapping[str, Any]) -> Comment:
        return Comment(int(held["number"]), str(held.get("body") or ""), str((held.get("user") or {}).get("login")))


class GitLabIssues(Host):
    noun = "issue"
    update_method = "PUT"
    text, closed = "description", {"state_event": "close"}

    def __init__(self, given: Mapping[str, str]) -> None:
        self._api = given["CI_API_V4_URL"]
        project = urllib.parse.quote(given["CI_PROJECT_ID"], safe="")
        super().__init__(f"{self._api}/projects/{project}/issues", {"PRIVATE-TOKEN": given["GITLAB_TOKEN"]})

    def author(self) -> str:
        return str(self.request("GET", f"{self._api}/user")[0]["id"])

    def comment(self, held: Mapping[str, Any]) -> Comment:
        author = "" if held.get("state") == "closed" else str((held.get("author") or {}).get("id"))
        return Comment(int(held["iid"]), str(held.get("description") or ""), author)


def report_to(host: GitHubIssues | GitLabIssues, stack: str, code: int, found: str) -> str:
    """What was done. Only issues of the own account that start with the mark of the stack are touched."""
    mark = f"<!-- kafka-topology:nightly:{re.sub(r'[^A-Za-z0-9._/-]', '', stack)} -->"
    author = host.author()
    own = [each for each in host.pages() if each.author == author and each.body.startswith(mark)]
    if code == 0:
        for each in own:
            host.request(host.update_method, f"{host.comments}/{each.id}", host.closed)
        closed = ", ".join(f"the issue {each.id}" for each in own)
        return f"closed {closed}: no finding counts any more" if own else "no finding counts, so no issue is needed"
    said = found if len(found) <= _LONGEST else f"{found[:_LONGEST]}\n\nThe rest is in the artifact of the job."
    meaning = _MEANING.get(code, "the nightly look failed")
    if not said.strip():
        said = f"{meaning[:1].upper()}{meaning[1:]}, and no report was written. The log of the job says why."
    # The title is written again: what was wrong yesterday need not be what is wrong today.
    issue = {"title": f"Kafka topology of {stack}: {meaning}", host.text: f"{mark}\n{said}"}
    if own:
        host.request(host.update_method, f"{host.comments}/{own[0].id}", issue)
        return f"updated the issue {own[0].id}"
    host.request("POST", host.comments, issue)
    return "opened an issue"


def main(arguments: list[str]) -> int:
    hosts: dict[str, type[GitHubIssues | GitLabIssues]] = {"github": GitHubIssues, "gitlab": GitLabIssues}
    if len(arguments) != 4 or arguments[0] not in hosts or not arguments[2].isdecimal():
        print("could not write the issue: expected github or gitlab, STACK, EXIT_CODE and FILE", file=sys.stderr)
        return 1
    kind, stack, code, file = arguments
    try:
        print(report_to(hosts[kind](os.environ), stack, int(code), Path(file).read_text(encoding="utf-8")))
    except (Refused, OSError, ValueError, KeyError) as error:
        what = f"{error} is not set" if isinstance(error, KeyError) else str(error)
        print(f"could not write the issue: {what}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
