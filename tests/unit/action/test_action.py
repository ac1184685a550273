"""The shell that continuous integration runs, run here: with the real command and a `gh` and `curl` that record."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action"
SCRIPTS = ("common.sh", "github.sh", "gitlab.sh", "install.sh")
BEFORE = """\
version: 1
topics:
  orders:
    owner: checkout
    partitions: 6
    replication: 3
    key: {type: uuid}
    config: {min.insync.replicas: 2}
environments: {dev: {}, prod: {}}
"""
FAKE = """\
#!{python}
import json, os, pathlib, sys
arguments = sys.argv[1:]
read = {{a[a.index("@") + 1:]: pathlib.Path(a[a.index("@") + 1:]).read_text() for a in arguments if "@" in a}}
with open({log!r}, "a") as log:
    log.write(json.dumps({{"arguments": arguments, "files": read, "env": dict(os.environ)}}) + "\\n")
answers = pathlib.Path({answers!r})
if answers.exists() and not {{"PATCH", "POST", "PUT"}} & set(arguments):
    print(answers.read_text(), end="")
sys.exit(int(os.environ.get("FAKE_EXIT", "0")))
"""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@dataclass
class Job:
    """A job on a checkout: `base` is the revision before the change."""

    root: Path
    tools: Path
    base: str
    variables: dict[str, str] = field(default_factory=dict)

    def fake(self, tool: str, answer: str | None = None) -> None:
        answers = self.tools / f"{tool}.answer"
        if answer is not None:
            answers.write_text(answer)
        program = FAKE.format(python=sys.executable, log=str(self.tools / f"{tool}.log"), answers=str(answers))
        (self.tools / tool).write_text(program)
        (self.tools / tool).chmod(0o755)

    def calls(self, tool: str) -> list[dict]:
        log = self.tools / f"{tool}.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(self.tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))}
        return subprocess.run(
            ["bash", str(ACTION / script)],
            cwd=self.root,
            env={**clean, "PATH": path, **self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def github(self, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "TOPOLOGY_PATH": "topology",
            "BASE": self.base,
            "PULL_REQUEST": "7",
            "GITHUB_REPOSITORY": "team/repo",
            "HEAD_SHA": "abc123",
            "GITHUB_STEP_SUMMARY": str(self.tools / "summary.md"),
            "GITHUB_OUTPUT": str(self.tools / "output"),
        }
        return self.run("github.sh", **{**given, **variables})


@pytest.fixture
def job(tmp_path) -> Job:
    root, tools = tmp_path / "checkout", tmp_path / "tools"
    (root / "topology").mkdir(parents=True)
    tools.mkdir()
    (root / "topology" / "t.yaml").write_text(BEFORE)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "before")
    base = git(root, "rev-parse", "HEAD")
    (root / "topology" / "t.yaml").write_text(BEFORE.replace("partitions: 6", "partitions: 12"))
    git(root, "commit", "-qam", "after")
    job = Job(root, tools, base)
    job.fake("gh")
    return job


def test_github_annotates_reviews_and_writes_a_comment(job):
    done = job.github()
    assert done.returncode == 1, done.stderr  # KT802: keys move
    sarif = json.loads((job.root / ".kafka-topology" / "findings.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    looked, wrote = job.calls("gh")
    assert looked["arguments"][:3] == ["api", "--paginate", "repos/team/repo/issues/7/comments"]
    assert looked["env"]["MARK"] == "<!-- kafka-topology:review -->"
    assert looked["env"]["AUTHOR"] == "github-actions[bot]"
    assert wrote["arguments"][:5] == ["api", "--silent", "--method", "POST", "repos/team/repo/issues/7/comments"]
    body = wrote["files"][".kafka-topology/review.md"]
    assert "50% of the keys" in body
    assert "https://github.com/team/repo/blob/abc123/topology/t.yaml#L5" in body
    assert (job.tools / "summary.md").read_text() == body
    assert (job.tools / "output").read_text() == "review=.kafka-topology/review.md\n"
    assert git(job.root, "status", "--porcelain") == ""  # its files are none of the repository's


def test_github_updates_its_comment_instead_of_repeating_it(job):
    job.fake("gh", "4711\n4712\n")
    job.github()
    _, wrote = job.calls("gh")
    assert wrote["arguments"][:5] == ["api", "--silent", "--method", "PATCH", "repos/team/repo/issues/comments/4711"]


def test_only_a_comment_of_ours_is_updated(job):
    """Author and mark reach the filter as values, so nothing in them is run."""
    script = (ACTION / "github.sh").read_text()
    assert ".user.login == env.AUTHOR and (.body | startswith(env.MARK))" in script


def test_github_reviews_every_environment(job):
    job.github(ENVIRONMENTS="dev\nprod", KEY="shop")
    body = (job.root / ".kafka-topology" / "review.md").read_text()
    assert body.startswith("<!-- kafka-topology:review:shop -->")
    assert "in dev, prod" in body


def test_a_comment_that_cannot_be_written_does_not_fail_the_job(job):
    (job.root / "topology" / "t.yaml").write_text(BEFORE)
    done = job.github(FAKE_EXIT="1")
    assert done.returncode == 0, done.stderr
    assert "::warning::kafka-topology could not write its comment" in done.stdout


def test_no_comment_without_a_pull_request_and_no_review_without_a_base(job):
    job.github(PULL_REQUEST="")
    assert job.calls("gh") == []
    done = job.github(BASE="0000000000000000000000000000000000000000")
    assert "skipping the review" in done.stderr
    assert not (job.root / ".kafka-topology" / "review.md").exists()


def test_an_unreadable_topology_fails_with_2_and_is_commented(job):
    (job.root / "topology" / "t.yaml").write_text("version: 1\ntopics: [oops]\n")
    done = job.github()
    assert done.returncode == 2
    assert "KT003" in job.calls("gh")[1]["files"][".kafka-topology/review.md"]


def test_inputs_are_never_read_as_shell(job):
    trap = "$(touch hacked)`touch hacked`; touch hacked"
    for name in ("BASE", "ENVIRONMENTS", "KEY", "FAIL_ON", "TOPOLOGY_PATH", "COMMENT_AUTHOR", "PULL_REQUEST"):
        earlier = len(job.calls("gh"))
        done = job.github(**{name: trap})
        assert not (job.root / "hacked").exists(), name
        # The text arrived where it is used: what never gets there could not be read as shell either.
        seen = [done.stdout, done.stderr]
        for call in job.calls("gh")[earlier:]:
            seen += [*call["arguments"], *call["files"].values(), call["env"].get("AUTHOR"), call["env"].get("MARK")]
        # Environments are a list of words, and a key keeps only what is safe in a hidden line.
        changed = {
            "ENVIRONMENTS": "no environment is called `touch`",
            "KEY": "review:touchhackedtouchhackedtouchhacked",
        }
        arrived = changed.get(name, trap)
        assert any(arrived in text for text in seen if text), name


def test_a_preview_is_joined_and_one_that_wrote_nothing_is_could_not_check(job):
    preview = {"steps": [], "diagnostics": [{"severity": "error", "message": "boom"}]}
    job.fake("pulumi", json.dumps(preview))
    job.github(PREVIEW_STACK="dev")
    (call,) = job.calls("pulumi")
    assert call["arguments"] == ["preview", "--json", "--non-interactive", "--stack", "dev"]
    assert "the Pulumi preview failed: boom" in (job.root / ".kafka-topology" / "review.md").read_text()

    job.fake("pulumi", "")
    (job.root / "topology" / "t.yaml").write_text(BEFORE)
    done = job.github(PREVIEW_STACK="dev")
    assert done.returncode == 3
    assert "could not check drift" in done.stderr


GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "5",
    "CI_MERGE_REQUEST_IID": "9",
    "CI_PROJECT_URL": "https://gitlab.example/team/repo",
    "CI_COMMIT_SHA": "abc123",
    "GITLAB_TOKEN": "hunter2-token",
}


@pytest.mark.parametrize(
    ("notes", "method", "end"),
    [
        ([], "POST", "/notes"),
        ([{"id": 1, "body": "hello"}, {"id": 2, "body": "<!-- kafka-topology:review -->\nold"}], "PUT", "/notes/2"),
    ],
)
def test_gitlab_writes_or_updates_its_note_with_the_token_out_of_sight(job, notes, method, end):
    job.fake("curl", json.dumps(notes))
    done = job.run("gitlab.sh", CI_MERGE_REQUEST_DIFF_BASE_SHA=job.base, **GITLAB)
    assert done.returncode == 1, done.stderr
    looked, wrote = job.calls("curl")
    assert looked["arguments"][-1].startswith("https://gitlab.example/api/v4/projects/5/merge_requests/9/notes?")
    assert wrote["arguments"][-1].endswith(end)
    assert method in wrote["arguments"]
    body = json.loads(wrote["files"][".kafka-topology/note.json"])["body"]
    assert "https://gitlab.example/team/repo/-/blob/abc123/topology/t.yaml#L5" in body
    for call in (looked, wrote):
        assert "hunter2" not in " ".join(call["arguments"])
        assert "PRIVATE-TOKEN: hunter2-token\n" in "".join(call["files"].values())
    headers = next(a[1:] for a in wrote["arguments"] if a.startswith("@") and "note.json" not in a)
    assert not Path(headers).exists()
    assert isinstance(json.loads((job.root / ".kafka-topology" / "findings.json").read_text()), list)


def test_gitlab_without_a_token_says_so(job):
    job.fake("curl")
    done = job.run("gitlab.sh", CI_MERGE_REQUEST_DIFF_BASE_SHA=job.base, **{**GITLAB, "GITLAB_TOKEN": ""})
    assert "no note is written" in done.stderr
    assert job.calls("curl") == []


def test_install_leaves_an_installed_command_alone(job):
    done = job.run("install.sh", PACKAGE="nothing-of-this-name")
    assert (done.returncode, "is installed" in done.stdout) == (0, True)


@pytest.mark.parametrize(("stack", "pinned"), [("", "base.txt"), ("dev", "run.txt")])
def test_install_takes_the_checkout_of_the_action_with_its_pins(job, stack, pinned):
    first, second = installing(job, PACKAGE="", PREVIEW_STACK=stack)
    assert first[-3:] == ["--require-hashes", "--requirement", str(ROOT / "requirements" / pinned)]
    assert (ROOT / "requirements" / pinned).is_file()
    assert second[-3:] == ["--no-deps", "--", str(ROOT)]


def test_install_takes_a_named_package(job):
    (call,) = installing(job, PACKAGE="./a.whl")
    assert call[-2:] == ["--", "./a.whl"]


def installing(job, **variables):
    job.fake("python3")
    bare = {"PATH": os.pathsep.join([str(job.tools), "/usr/bin", "/bin"]), **variables}
    subprocess.run(["bash", str(ACTION / "install.sh")], env=bare, check=True)
    return [call["arguments"] for call in job.calls("python3")]


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_are_sound_bash(name):
    subprocess.run(["bash", "-n", str(ACTION / name)], check=True)


def test_the_action_passes_its_inputs_as_variables_only():
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    used = set()
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        used |= set(re.findall(r"inputs\.([a-z-]+)", json.dumps(step)))
    assert used == set(action["inputs"])
    scripts = "".join((ACTION / name).read_text() for name in SCRIPTS)
    for name in action["runs"]["steps"][1]["env"]:
        assert name in ("GH_TOKEN", "ACTION_PATH") or re.search(rf"\b{name}\b", scripts), name


def test_the_gitlab_template_runs_the_script_of_the_package():
    template = yaml.safe_load((ACTION / "gitlab.yml").read_text())
    assert template["kafka-topology"]["script"] == ['bash "$(python3 -m kafka_topology.action)/gitlab.sh"']
    done = subprocess.run([sys.executable, "-m", "kafka_topology.action"], capture_output=True, text=True, check=True)
    assert (Path(done.stdout.strip()) / "gitlab.sh").is_file()
