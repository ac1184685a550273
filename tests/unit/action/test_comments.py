"""Which comments are written, updated and left alone, on an API of loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_host import CodeHost

from kafka_topology.action import comments

MARK = "<!-- kafka-topology:review -->"
BODY = f"{MARK}\n### ❌ 1 error\n"


@pytest.fixture
def api() -> Iterator[CodeHost]:
    with CodeHost() as host:
        yield host


def variables(api: CodeHost) -> dict[str, str]:
    github = {"GITHUB_API_URL": api.address, "GITHUB_REPOSITORY": "team/repo", "PULL_REQUEST": "7"}
    gitlab = {"CI_API_V4_URL": api.address, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9"}
    return {**github, **gitlab, "GH_TOKEN": "hunter2-token", "GITLAB_TOKEN": "hunter2-token"}


@pytest.fixture(params=[comments.GitHub, comments.GitLab], ids=["github", "gitlab"])
def host(request, api) -> comments.Host:
    return request.param(variables(api))


def test_its_comment_is_updated_on_whichever_page_it_is_and_no_other_is_touched(host, api):
    for number in range(250):
        api.add(f"comment {number}", "somebody")
    api.add(f"{MARK}\nof somebody else", "somebody")
    own = api.add(f"{MARK}\nold", api.bot)
    api.add(f"{MARK[:-4]}:other -->\nof another topology", api.bot)
    before = [dict(each) for each in api.comments]
    assert comments.comment_on(host, BODY, has_content=True) == f"updated the {host.noun} {own}"
    changed = [now["id"] for was, now in zip(before, api.comments, strict=True) if was != now]
    assert changed == [own]
    assert comments.comment_on(host, BODY, has_content=True) == f"the {host.noun} {own} is up to date"


def test_older_comments_of_its_own_are_replaced_by_a_line(host, api):
    first, second = api.add(f"{MARK}\n1", api.bot), api.add(f"{MARK}\n2", api.bot)
    comments.comment_on(host, BODY, has_content=True)
    bodies = {each["id"]: each["body"] for each in api.comments}
    assert bodies[first].startswith("<sub>A later review")
    assert bodies == {first: bodies[first], second: BODY}
    comments.comment_on(host, BODY, has_content=True)
    assert len(api.comments) == 2


def test_nothing_is_written_when_nothing_changes_but_an_earlier_comment_is_updated(host, api):
    assert "nothing changes" in comments.comment_on(host, BODY, has_content=False)
    assert api.comments == []
    api.add(f"{MARK}\nold", api.bot)
    comments.comment_on(host, BODY, has_content=False)
    assert api.comments[0]["body"] == BODY


@pytest.mark.parametrize("code", [401, 403, 404, 422, 500])
def test_a_refused_request_is_never_called_written(host, api, code):
    api.refuse = code
    with pytest.raises(comments.Refused, match=f"answered {code}"):
        comments.comment_on(host, BODY, has_content=True)
    api.add(f"{MARK}\nold", api.bot)
    with pytest.raises(comments.Refused, match=f"answered {code}"):
        comments.comment_on(host, BODY, has_content=True)


def test_the_token_goes_to_no_other_host(host, api):
    api.next_page = "http://localhost:9/elsewhere"
    with pytest.raises(comments.Refused, match="is not on http://127"):
        comments.comment_on(host, BODY, has_content=True)
    api.redirect = "http://localhost:9/elsewhere"
    with pytest.raises(comments.Refused, match="redirects to another host"):
        comments.comment_on(host, BODY, has_content=True)


def test_a_body_without_the_mark_is_refused(host, api):
    with pytest.raises(comments.Refused, match="mark"):
        comments.comment_on(host, "hello", has_content=True)
    assert api.requests == []


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_the_program_says_what_it_did_or_why_not(kind, api, tmp_path):
    (tmp_path / "r.md").write_text(BODY)
    empty = {"changes": [], "findings": [], "drift": [], "couldNotCheck": []}
    told = {**empty, "findings": [{"new": True}]}

    def run(document: dict[str, object], **given: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "r.json").write_text(json.dumps(document))
        program = [sys.executable, str(Path(comments.__file__)), kind, "r.md", "r.json"]
        return subprocess.run(program, cwd=tmp_path, env=given, capture_output=True, text=True, check=False)

    assert "nothing changes" in run({**empty, "findings": [{"new": False}]}, **variables(api)).stdout
    done = run(told, **variables(api))
    assert (done.returncode, done.stdout.startswith("wrote a ")) == (0, True)
    without = {name: value for name, value in variables(api).items() if name not in ("PULL_REQUEST", "GITLAB_TOKEN")}
    done = run(told, **without)
    assert (done.returncode, "is not set" in done.stderr, done.stdout) == (1, True, "")
