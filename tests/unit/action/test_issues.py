"""The issue of the nightly look: one for each stack, opened, updated and closed; those of others are left alone."""

from __future__ import annotations

import pytest

from kafka_topology.action.issues import GitHubIssues, GitLabIssues, report_to

MARK = "<!-- kafka-topology:nightly:prod -->"


class OnGitHub(GitHubIssues):
    def __init__(self, *issues):
        super().__init__({"GH_TOKEN": "t", "GITHUB_REPOSITORY": "team/repo", "GITHUB_API_URL": "https://api.example"})
        self.held, self.sent = list(issues), []

    def request(self, method, address, body=None):
        if method == "GET":
            return self.held, {}
        self.sent.append((method, address.removeprefix("https://api.example"), body))
        return {}, {}


class OnGitLab(GitLabIssues):
    def __init__(self, *issues):
        super().__init__({"GITLAB_TOKEN": "t", "CI_API_V4_URL": "https://api.example", "CI_PROJECT_ID": "5"})
        self.held, self.sent = list(issues), []

    def request(self, method, address, body=None):
        if method == "GET":
            return ({"id": 42} if address.endswith("/user") else self.held), {}
        self.sent.append((method, address.removeprefix("https://api.example"), body))
        return {}, {}


def of(number, body, author="github-actions[bot]"):
    return {"number": number, "iid": number, "body": body, "description": body, "user": {"login": author},
            "author": {"id": 42 if author.endswith("[bot]") else 1}, "state": "opened"}  # fmt: skip


@pytest.mark.parametrize(("host", "path", "text"), [
    (OnGitHub, "/repos/team/repo/issues", "body"), (OnGitLab, "/projects/5/issues", "description"),
])  # fmt: skip
def test_one_issue_is_opened_updated_and_closed(host, path, text):
    opened = host(of(1, "something else"), of(2, MARK, "mallory"))
    assert report_to(opened, "prod", 1, "drift") == "opened an issue"
    title = "Kafka topology of prod: it differs from the topology"
    assert opened.sent == [("POST", path, {"title": title, text: f"{MARK}\ndrift"})]
    there = host(of(2, MARK, "mallory"), of(3, f"{MARK}\nold"))
    assert report_to(there, "prod", 3, "x" * 70_000) == "updated the issue 3"
    assert there.sent[0][:2] == (host.update_method, f"{path}/3")
    assert len(there.sent[0][2][text]) < 65_000
    there.sent.clear()
    assert report_to(there, "prod", 0, "") == "closed the issue 3: the cluster is as declared"
    assert there.sent == [(host.update_method, f"{path}/3", host.closed)]
    assert report_to(host(), "prod", 0, "") == "the cluster is as declared"
