"""The shell that continuous integration runs, run here: with the real command, and an API on loopback that records."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from code_host import CodeHost

from kafka_topology import starter

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action"
SCRIPTS = ("common.sh", "github.sh", "gitlab.sh", "install.sh", "pipeline.sh")
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
    api: CodeHost
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
            timeout=600,  # for a busy machine
        )

    def github(self, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "TOPOLOGY_PATH": "topology",
            "BASE": self.base,
            "PULL_REQUEST": "7",
            "GITHUB_REPOSITORY": "team/repo",
            "GITHUB_API_URL": self.api.address,
            "GH_TOKEN": "hunter2-token",
            "HEAD_SHA": "abc123",
            "GITHUB_STEP_SUMMARY": str(self.tools / "summary.md"),
            "GITHUB_OUTPUT": str(self.tools / "output"),
        }
        return self.run("github.sh", **{**given, **variables})

    def gitlab(self, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "CI_API_V4_URL": self.api.address,
            "CI_PROJECT_ID": "5",
            "CI_MERGE_REQUEST_IID": "9",
            "CI_PROJECT_URL": "https://gitlab.example/team/repo",
            "CI_COMMIT_SHA": "abc123",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "GITLAB_TOKEN": "hunter2-token",
        }
        return self.run("gitlab.sh", **{**given, **variables})

    def change(self, *pairs: tuple[str, str]) -> None:
        text = BEFORE
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (self.root / "topology" / "t.yaml").write_text(text)


@pytest.fixture
def api() -> Iterator[CodeHost]:
    with CodeHost() as host:
        yield host


@pytest.fixture
def job(tmp_path, api) -> Job:
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
    return Job(root, tools, base, api)


MARK = "<!-- kafka-topology:review -->"


def test_github_annotates_reviews_and_writes_a_comment(job):
    done = job.github()
    assert done.returncode == 1, done.stderr  # KT802: keys move
    assert "::error file=topology/t.yaml,line=5" in done.stdout
    assert "wrote a comment" in done.stdout
    sarif = json.loads((job.root / ".kafka-topology" / "sarif" / "default.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    (comment,) = job.api.comments
    assert comment["body"].startswith(f"{MARK}\n### ❌ 1 error")
    assert "50% of the keys" in comment["body"]
    assert "https://github.com/team/repo/blob/abc123/topology/t.yaml#L5" in comment["body"]
    assert [path for _, path in job.api.requests] == ["/repos/team/repo/issues/7/comments"] * 2
    assert (job.tools / "summary.md").read_text() == comment["body"]
    assert (job.tools / "output").read_text() == "review=.kafka-topology/review.md\n"
    assert git(job.root, "status", "--porcelain") == ""  # its files are none of the repository's
    assert "hunter2" not in done.stdout + done.stderr


def test_the_comment_links_to_the_page_of_the_change_where_the_job_keeps_it(job):
    job.github()
    assert not (job.root / ".kafka-topology" / "change.html").exists()
    assert "the change as a page" not in job.api.comments[0]["body"]
    (job.tools / "output").unlink()
    job.github(PAGE_URL="https://ci.example/runs/42#artifacts", KEY="shop/eu")
    assert "[the change as a page](https://ci.example/runs/42#artifacts)" in job.api.comments[1]["body"]
    assert (job.tools / "output").read_text().splitlines() == [
        "review=.kafka-topology/review.md",
        "page=.kafka-topology/change.html",
        "artifact=kafka-topology-review-shop-eu",
    ]
    assert "<html" in (job.root / ".kafka-topology" / "change.html").read_text()


@pytest.mark.parametrize(("host", "where"), [("github", "summary of this job"), ("gitlab", "artifact")])
def test_a_refused_comment_is_said_and_does_not_fail_the_job(job, host, where):
    job.change(("key: {type: uuid}", "key: {type: uuid, distinct: 9}"))
    job.api.refuse = 403
    done = getattr(job, host)()
    assert done.returncode == 0, done.stderr
    assert "wrote" not in done.stdout
    assert "answered 403" in done.stderr
    assert where in done.stdout + done.stderr


def test_github_reviews_and_annotates_every_environment(job):
    in_prod = "environments: {dev: {}, prod: {topics: {orders: %s}}}"
    job.change(("environments: {dev: {}, prod: {}}", in_prod % "{partitions: 12}"))
    done = job.github(ENVIRONMENTS="dev\nprod", KEY="shop")
    assert done.returncode == 1
    assert "::error file=topology/t.yaml,line=9" in done.stdout  # only prod has it
    body = (job.root / ".kafka-topology" / "review.md").read_text()
    assert body.startswith("<!-- kafka-topology:review:shop -->")
    assert "in dev, prod" in body
    names = sorted(each.name for each in (job.root / ".kafka-topology" / "sarif").iterdir())
    assert names == ["dev.sarif", "prod.sarif"]
    job.change(("environments: {dev: {}, prod: {}}", in_prod % "{config: {min.insync.replicas: 3}}"))
    done = job.github(ENVIRONMENTS="dev prod", BASE="")
    assert (done.returncode, "::error file=topology/t.yaml,line=9" in done.stdout) == (1, True)


def test_each_environment_has_its_own_files(job):
    job.change(("environments: {dev: {}, prod: {}}", "environments: {a/b: {}, a_b: {}, A_B: {}, default: {}}"))
    job.gitlab(ENVIRONMENTS="a/b a_b A_B default")
    assert len(list((job.root / ".kafka-topology").glob("findings.*.json"))) == 4
    job.github(ENVIRONMENTS="a/b a_b A_B default")
    names = sorted(each.name for each in (job.root / ".kafka-topology" / "sarif").iterdir())
    assert names == ["A_B__.sarif", "a_b.sarif", "a_b_.sarif", "default.sarif"]


def test_each_topology_has_its_own_comment(job):
    (job.root / "topology").rename(job.root / "kafka")
    job.github(TOPOLOGY_PATH="kafka")
    assert job.api.comments[0]["body"].startswith("<!-- kafka-topology:review:kafka -->")


def test_errors_of_the_base_do_not_fail_and_risks_do_if_asked(job):
    job.change(("min.insync.replicas: 2", "min.insync.replicas: 3"))
    base = git(job.root, "commit", "-qam", "an error of old") or git(job.root, "rev-parse", "HEAD")
    text = (job.root / "topology" / "t.yaml").read_text()
    (job.root / "topology" / "t.yaml").write_text(text.replace("    key:", "    retention: 8d\n    key:"))
    git(job.root, "commit", "-qam", "longer")
    longer = git(job.root, "rev-parse", "HEAD")
    assert job.github(BASE=base).returncode == 0
    (job.root / "topology" / "t.yaml").write_text(text.replace("    key:", "    retention: 7d\n    key:"))
    assert job.github(BASE=longer).returncode == 0
    assert job.github(BASE=longer, FAIL_ON="error destructive").returncode == 1
    job.gitlab(CI_MERGE_REQUEST_DIFF_BASE_SHA=longer)
    report = json.loads((job.root / ".kafka-topology" / "findings.json").read_text())
    assert "KT101" in {issue["check_name"] for issue in report}  # the report has those of the base, too


def test_a_baseline_counts_in_the_action(job):
    job.change(("min.insync.replicas: 2", "min.insync.replicas: 3"))
    assert job.github().returncode == 1
    command = Path(sys.executable).parent / "kafka-topology"
    accept = ["validate", "topology", "--baseline", "accepted.json", "--update-baseline"]
    subprocess.run([command, *accept], cwd=job.root, check=True)
    done = job.github(BASELINE="accepted.json")
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_comment_without_a_pull_request_and_no_review_without_a_base(job):
    job.github(PULL_REQUEST="")
    assert job.api.requests == []
    done = job.github(BASE="0000000000000000000000000000000000000000")
    assert "skipping the review" in done.stderr
    assert not (job.root / ".kafka-topology" / "review.md").exists()


def test_an_unreadable_topology_fails_with_2_and_is_commented(job):
    (job.root / "topology" / "t.yaml").write_text("version: 1\ntopics: [oops]\n")
    done = job.github()
    assert done.returncode == 2
    assert "KT003" in job.api.comments[0]["body"]


def test_inputs_are_never_read_as_shell(job):
    trap = "$(touch hacked)`touch hacked`; touch hacked"
    names = ("BASE", "ENVIRONMENTS", "KEY", "FAIL_ON", "TOPOLOGY_PATH", "COMMENT_AUTHOR", "PULL_REQUEST", "BASELINE")
    # Environments are a list of words, and a key keeps only what is safe in a hidden line.
    changed = {
        "ENVIRONMENTS": "no environment is called `$(touch`",
        "KEY": "review:touchhackedtouchhackedtouchhacked",
        "FAIL_ON": "`$(touch` is neither a severity nor a risk",
        "PULL_REQUEST": "%24%28touch%20hacked",
        "COMMENT_AUTHOR": "wrote a comment",
    }
    for name in names:
        job.api.comments.clear()
        job.api.requests.clear()
        done = job.github(**{name: trap})
        assert not (job.root / "hacked").exists(), name
        # The text arrived where it is used: what never gets there could not be read as shell either.
        seen = [done.stdout, done.stderr, *(path for _, path in job.api.requests)]
        seen += [each["body"] for each in job.api.comments]
        assert any(changed.get(name, trap) in text for text in seen), name


def test_a_preview_is_joined_and_one_that_says_nothing_is_could_not_check(job):
    preview = {"steps": [], "diagnostics": [{"severity": "error", "message": "boom"}]}
    job.fake("pulumi", json.dumps(preview))
    job.github(PREVIEW_STACK="dev")
    (call,) = job.calls("pulumi")
    assert call["arguments"] == ["preview", "--json", "--non-interactive", "--stack", "dev"]
    assert "the Pulumi preview failed: boom" in (job.root / ".kafka-topology" / "review.md").read_text()

    job.fake("pulumi", "error: no stack named 'dev' found\n")
    done = job.github(PREVIEW_STACK="dev")
    assert done.returncode == 1, "the review is made without it"
    body = (job.root / ".kafka-topology" / "review.md").read_text()
    assert "50% of the keys" in body
    assert "drift, because the preview .kafka-topology/preview.json cannot be read: it is not JSON" in unescaped(body)

    job.change()
    assert job.github(PREVIEW_STACK="dev").returncode == 3
    job.fake("pulumi", "")
    done = job.github(PREVIEW_STACK="dev")
    assert done.returncode == 3
    assert "could not check drift" in done.stderr


def unescaped(text: str) -> str:
    return html.unescape(text)


def test_gitlab_writes_a_note_and_one_report_of_all_environments(job):
    done = job.gitlab(ENVIRONMENTS="dev prod")
    assert done.returncode == 1, done.stderr
    (note,) = job.api.comments
    assert "https://gitlab.example/team/repo/-/blob/abc123/topology/t.yaml#L5" in note["body"]
    assert job.api.requests[0] == ("GET", "/user")
    assert {path for _, path in job.api.requests[1:]} == {"/projects/5/merge_requests/9/notes"}
    report = json.loads((job.root / ".kafka-topology" / "findings.json").read_text())
    assert len({issue["fingerprint"] for issue in report}) == len(report)
    (moved,) = [issue for issue in report if issue["check_name"] == "KT802"]
    assert moved["location"] == {"path": "topology/t.yaml", "lines": {"begin": 5, "end": 5}}
    assert "hunter2" not in done.stdout + done.stderr


def test_the_report_of_gitlab_has_the_risks_of_changed_lines_beside_all_findings(job):
    silent = "rules: {KT805: {severity: off}}\nenvironments:"
    job.change(("    config:", "    retention: 1d\n    config:"), ("environments:", silent))
    job.gitlab(ENVIRONMENTS="dev prod")
    report = json.loads((job.root / ".kafka-topology" / "findings.json").read_text())
    (risk,) = [issue for issue in report if issue["check_name"] == "change-destructive"]
    assert risk["location"]["lines"]["begin"] == 8
    (found,) = [issue for issue in report if issue["check_name"] == "KT303"]  # validate and review have it, in both
    assert len({issue["fingerprint"] for issue in report}) == len(report)
    assert found["location"]["path"] == risk["location"]["path"] == "topology/t.yaml"


def test_the_report_of_gitlab_without_a_base_has_the_findings(job):
    job.change(("min.insync.replicas: 2", "min.insync.replicas: 3"))
    done = job.gitlab(CI_MERGE_REQUEST_DIFF_BASE_SHA="", CI_MERGE_REQUEST_IID="")
    report = json.loads((job.root / ".kafka-topology" / "findings.json").read_text())
    assert (done.returncode, {issue["check_name"] for issue in report}) == (1, {"KT101"})


def test_gitlab_without_a_token_says_so(job):
    done = job.gitlab(GITLAB_TOKEN="")
    assert "no note is written" in done.stderr
    assert job.api.requests == []


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


WHEEL = "wheels/tool.whl"


@pytest.fixture
def with_wheel(job):
    """The base has a wheel, and the change has another one."""
    git(job.root, "reset", "-q", "--hard", job.base)
    (job.root / "wheels").mkdir()
    (job.root / WHEEL).write_text("of the base")
    git(job.root, "add", "-A")
    git(job.root, "commit", "-qm", "wheel")
    job.base = git(job.root, "rev-parse", "HEAD")
    (job.root / WHEEL).write_text("of the change")
    git(job.root, "commit", "-qam", "another wheel")
    job.fake("python3")
    shows = "#!/bin/sh\ncat wheels/tool.whl 2>/dev/null || ls -A\n"
    (job.tools / "python3").write_text(shows)
    return job


@pytest.mark.parametrize("package", [f"./{WHEEL}", WHEEL, f"./{WHEEL}[pulumi]", f"file:{WHEEL}"])
def test_a_path_is_installed_from_the_base_never_from_the_change(with_wheel, package):
    done = install(with_wheel, PACKAGE=package, BASE=with_wheel.base, PULL_REQUEST="7")
    assert (done.returncode, done.stdout) == (0, "of the base")
    merged = install(with_wheel, PACKAGE=package, BASE="")
    assert (merged.returncode, merged.stdout) == (0, "of the change")


@pytest.mark.parametrize("package", ["git+https://host/x@v1", "kafka-topology[pulumi]==1", "x @ https://host/x.whl"])
def test_pip_finds_no_file_of_the_checkout(with_wheel, package):
    done = install(with_wheel, PACKAGE=package, BASE=with_wheel.base, PULL_REQUEST="7")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_path_without_a_base_to_take_it_from_is_refused(with_wheel):
    none = install(with_wheel, PACKAGE=WHEEL, BASE="", PULL_REQUEST="7")
    assert (none.returncode, "there is no base to take it from" in none.stderr) == (2, True)
    shallow = install(with_wheel, PACKAGE=WHEEL, BASE="f" * 40, PULL_REQUEST="7")
    assert (shallow.returncode, "check out with fetch-depth: 0" in shallow.stderr) == (2, True)
    absolute = install(with_wheel, PACKAGE=str(with_wheel.root / WHEEL), BASE=with_wheel.base)
    assert (absolute.returncode, "name it by its path from the root" in absolute.stderr) == (2, True)


def test_the_gitlab_template_installs_a_path_from_the_target_branch(with_wheel):
    job = with_wheel
    template = yaml.safe_load((ACTION / "gitlab.yml").read_text())["kafka-topology"]
    lines = "set -eo pipefail\n" + "\n".join(template["before_script"])
    path = os.pathsep.join([str(job.tools), "/usr/bin", "/bin"])

    def done(**variables):
        env = {"PATH": path, "CI_PROJECT_DIR": str(job.root), **variables}
        return subprocess.run(["bash", "-c", lines], cwd=job.root, env=env, capture_output=True, text=True, check=False)

    assert done(PACKAGE=f"./{WHEEL}", CI_MERGE_REQUEST_DIFF_BASE_SHA=job.base).stdout == "of the base"
    assert done(PACKAGE=f"./{WHEEL}").stdout == "of the change"
    assert done(PACKAGE=str(job.root / WHEEL), CI_MERGE_REQUEST_DIFF_BASE_SHA=job.base).returncode == 2
    assert done().returncode != 0


def install(job, **variables):
    bare = {"PATH": os.pathsep.join([str(job.tools), "/usr/bin", "/bin"]), **variables}
    command = ["bash", str(ACTION / "install.sh")]
    return subprocess.run(command, cwd=job.root, env=bare, capture_output=True, text=True, check=False)


def installing(job, **variables):
    job.fake("python3")
    assert install(job, **variables).returncode == 0
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
    [review] = [step for step in action["runs"]["steps"] if step.get("id") == "review"]
    for step in action["runs"]["steps"]:
        assert "uses" not in step or re.search(r"@[0-9a-f]{40}$", step["uses"]), step
    for name in review["env"]:
        assert name in ("GH_TOKEN", "ACTION_PATH") or re.search(rf"\b{name}\b", scripts), name


def test_the_gitlab_template_runs_the_script_of_the_package():
    template = yaml.safe_load((ACTION / "gitlab.yml").read_text())
    page, script = template["kafka-topology"]["script"]
    assert script == 'bash "$(python3 -I -m kafka_topology.action)/gitlab.sh"'
    (kept,) = template["kafka-topology"]["artifacts"]["paths"]
    assert f'PAGE_URL="$CI_JOB_URL/artifacts/file/{kept}/change.html"' in page
    done = subprocess.run([sys.executable, "-m", "kafka_topology.action"], capture_output=True, text=True, check=True)
    assert (Path(done.stdout.strip()) / "gitlab.sh").is_file()


@pytest.fixture
def hostile(job):
    """A change with a file for each module that a job runs or imports. Each says so if Python takes it."""
    (job.tools / "hacked").mkdir()
    says = f"open({str(job.tools / 'hacked')!r} + '/' + __name__, 'w').close()\n"
    modules = ("json.py", "os.py", "urllib/__init__.py", "pip/__main__.py", "pip/__init__.py")
    for name in (*modules, "kafka_topology/__init__.py", *(f"kafka_topology/action/{n}" for n in ACTION_MODULES)):
        (job.root / name).parent.mkdir(parents=True, exist_ok=True)
        (job.root / name).write_text(says)
    (job.tools / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (job.tools / "python3").chmod(0o755)
    return job


ACTION_MODULES = ("__init__.py", "__main__.py", "comments.py", "issues.py")


def hacked(job):
    return sorted(each.name for each in (job.tools / "hacked").iterdir())


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_no_module_of_the_change_is_imported(hostile, host):
    assert getattr(hostile, host)().returncode == 1
    assert hacked(hostile) == []


@pytest.mark.parametrize("code", ["-m pip", "-m kafka_topology.action", "-c 'import json'"])
def test_the_modules_of_the_change_would_be_imported_without_isolation(hostile, code):
    """Or the other tests would prove nothing."""
    path = os.pathsep.join([str(hostile.tools), "/usr/bin", "/bin"])
    subprocess.run(["bash", "-c", f"python3 {code}"], cwd=hostile.root, env={"PATH": path}, check=False)
    assert hacked(hostile) != []


def test_what_installs_imports_nothing_of_the_change(hostile):
    done = install(hostile, PACKAGE="./missing.whl", BASE=hostile.base)
    assert "missing.whl" in done.stderr
    assert done.returncode != 0
    assert hacked(hostile) == []


def test_the_lines_of_the_templates_import_nothing_of_the_change(hostile):
    written = [starter.files(starter.Starter(name="shop", ci=ci)) for ci in ("github", "gitlab")]
    jobs = [text for files in written for path, text in files.items() if path.endswith(".yml")]
    templates = [(ACTION / "gitlab.yml").read_text(), *jobs]
    path = os.pathsep.join([str(hostile.tools), "/usr/bin", "/bin"])
    (hostile.tools / "python").symlink_to(hostile.tools / "python3")
    tried = 0
    for text in templates:
        for call in set(re.findall(r"python3? [^\n]*?-m [a-z_.]+", text)):
            kept = f"{call} --help"  # the program itself and its imports, and nothing more
            subprocess.run(["bash", "-c", kept], cwd=hostile.root, env={"PATH": path}, check=False, capture_output=True)
            tried += 1
    assert tried >= 6
    assert hacked(hostile) == []


def test_the_nightly_issue_imports_nothing_of_the_change(hostile):
    hostile.fake("kafka-topology")
    variables = {"STACK": "dev", "OUT": str(hostile.tools / "out"), "HOST": "github"}
    path = os.pathsep.join([str(hostile.tools), os.environ["PATH"]])
    given = {**os.environ, **variables, "PATH": path}
    command = ["bash", str(ACTION / "pipeline.sh"), "nightly"]
    done = subprocess.run(command, cwd=hostile.root, env=given, capture_output=True, text=True, check=False)
    assert "could not write the issue: 'GH_TOKEN' is not set" in done.stderr, done.stderr
    assert hacked(hostile) == []


def test_nothing_is_written_or_deleted_through_a_link_of_the_change(job):
    outside = job.tools / "outside"
    (outside / "sarif").mkdir(parents=True)
    (outside / "sarif" / "kept").write_text("kept")
    (job.root / ".kafka-topology").symlink_to(outside)
    job.github()
    assert [each.name for each in outside.rglob("*")] == ["sarif", "kept"]
    assert (job.root / ".kafka-topology" / "review.md").is_file()


def test_python_is_always_isolated_from_the_checkout():
    templates = sorted((ROOT / "src/kafka_topology/starter").glob("git*.py"))
    assert len(templates) == 2
    for file in (*(ACTION / name for name in SCRIPTS), ACTION / "gitlab.yml", *templates):
        for line in file.read_text().splitlines():
            assert not re.search(r"python3? (?!-I)", line), f"{file.name}: {line}"
