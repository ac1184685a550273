"""The issue of the nightly look, on an API of loopback: one for each stack, opened, updated and closed; no other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_host import CodeHost

from kafka_topology.action import issues

MARK = "<!-- kafka-topology:nightly:prod -->"
PIPELINE = Path(issues.__file__).with_name("pipeline.sh")


@pytest.fixture
def api() -> Iterator[CodeHost]:
    with CodeHost() as host:
        yield host


@pytest.fixture(params=["github", "gitlab"])
def kind(request, api, monkeypatch) -> str:
    given = {"GITHUB_API_URL": api.address, "GITHUB_REPOSITORY": "team/repo", "GH_TOKEN": "hunter2-token"}
    given |= {"CI_API_V4_URL": api.address, "CI_PROJECT_ID": "5", "GITLAB_TOKEN": "hunter2-token"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return request.param


@pytest.fixture
def night(kind, tmp_path, capsys):
    """What `main` returns and prints for an exit code and a report."""

    def look(code: int, found: str) -> tuple[int, str]:
        file = tmp_path / "issue.txt"
        file.write_text(found)
        ended = issues.main([kind, "prod", str(code), str(file)])
        shown = capsys.readouterr()
        return ended, (shown.out + shown.err).strip()

    return look


def text(kind: str, issue: dict) -> str:
    return issue["body" if kind == "github" else "description"]


def test_one_issue_is_opened_updated_and_closed(night, kind, api):
    api.open("something else", api.bot)
    api.open(MARK, "mallory")
    others = [dict(each) for each in api.issues]
    assert night(1, "drift") == (0, "opened an issue")
    *before, issue = api.issues
    assert before == others
    assert issue["title"] == "Kafka topology of prod: there are findings"
    assert text(kind, issue) == f"{MARK}\ndrift"
    assert night(3, "x" * 70_000) == (0, "updated the issue 3")
    assert len(text(kind, issue)) < 65_000
    assert issue["title"] == "Kafka topology of prod: not everything could be checked"
    assert night(0, "") == (0, "closed the issue 3: no finding counts any more")
    assert issue["state"] == "closed"
    assert night(0, "") == (0, "no finding counts, so no issue is needed")
    assert night(1, "again") == (0, "opened an issue"), "what a person may have closed or read stays closed"
    assert [each["state"] for each in api.issues] == ["opened", "opened", "closed", "opened"]
    assert api.issues[:2] == others


def test_its_issue_is_found_on_whichever_page_it_is(night, api):
    for number in range(230):
        api.open(f"issue {number}", "somebody")
    own = api.open(f"{MARK}\nold", api.bot)
    assert night(1, "new") == (0, f"updated the issue {own}")
    assert len(api.issues) == own
    assert sum(method == "GET" and path.endswith("/issues") for method, path in api.requests) == 3  # pages


@pytest.mark.parametrize("code", [2, 3, 130])
def test_an_issue_is_never_empty(night, kind, api, code):
    assert night(code, "\n") == (0, "opened an issue")
    said = text(kind, api.issues[0]).removeprefix(f"{MARK}\n")
    assert said.endswith("no report was written. The log of the job says why.")
    assert api.issues[0]["title"].partition(": ")[2][1:] in said


def test_a_refusal_and_a_missing_variable_are_said(night, kind, api, monkeypatch):
    api.refuse = 403
    ended, said = night(1, "drift")
    assert (ended, said.startswith("could not write the issue: POST"), "answered 403" in said) == (1, True, True)
    monkeypatch.delenv("GH_TOKEN" if kind == "github" else "GITLAB_TOKEN")
    ended, said = night(1, "drift")
    assert (ended, said.endswith("_TOKEN' is not set")) == (1, True)
    assert api.issues == []


@pytest.mark.parametrize("arguments", [[], ["bitbucket", "prod", "1", "f"], ["github", "prod", "one", "f"]])
def test_wrong_arguments_are_no_traceback(arguments, capsys):
    assert issues.main(arguments) == 1
    assert "expected github or gitlab" in capsys.readouterr().err


def test_the_nightly_step_writes_an_issue_though_the_audit_could_not_start(kind, api, tmp_path):
    tool = tmp_path / "kafka-topology"
    tool.write_text("#!/bin/bash\necho 'Error: no stack is selected' >&2\nexit 2\n")
    tool.chmod(0o755)
    given = {"STACK": "prod", "HOST": kind, "OUT": str(tmp_path / "out")}
    path = os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", str(PIPELINE), "nightly"],
        env={**os.environ, **given, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, "opened an issue" in done.stdout) == (2, True), done.stderr
    assert "The look could not start" in text(kind, api.issues[0])
