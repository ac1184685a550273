"""The steps of the pipeline with stand-ins for the commands: what each leaves and says when one of them fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gitted import git

ACTION = Path(__file__).parents[3] / "action"
# Answers that the steps read are written where they ask for them; `kafka-topology CODE` ends with $CODE.
ANSWERS = """\
#!/bin/bash
echo "$*" >>"$CALLS"
for each in ${*//,/ }; do
  case "$each" in json=*preflight.json) echo '{"changes": {"create": 2}}' >"${each#json=}" ;; esac
done
exit "${ENDS:-0}"
"""
SLOW = """\
#!{python}
import pathlib, signal, sys, time
seen = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: seen.append(signal.Signals(number).name))
pathlib.Path({started!r}).touch()
end = time.monotonic() + 60
while not seen and time.monotonic() < end:
    time.sleep(0.05)
if seen:
    time.sleep(1)  # for what it has begun
print("pulumi saw", *seen)
sys.exit(255)
"""


class Steps:
    """A checkout, and the commands that the steps find on PATH."""

    def __init__(self, folder: Path) -> None:
        self.root, self.tools = folder / "checkout", folder / "tools"
        self.summary, self.output, self.calls = folder / "summary.md", folder / "output", folder / "calls"
        self.root.mkdir()
        self.tools.mkdir()
        git(self.root, "init", "--quiet")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "start")
        self.fake("kafka-topology", ANSWERS)

    def fake(self, tool: str, program: str) -> None:
        (self.tools / tool).write_text(program)
        (self.tools / tool).chmod(0o755)

    def planned(self, plan: Path) -> str:
        """The folder of a plan that nothing contradicts."""
        plan.mkdir()
        (plan / "commit").write_text(git(self.root, "rev-parse", "HEAD"))
        for name in ("plan.json", "preflight.json"):
            (plan / name).write_text("{}")
        return str(plan)

    def start(self, step: str, **variables: str) -> subprocess.Popen[str]:
        """The job: the leader of its process group."""
        given = {
            "STACK": "dev",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
            "CALLS": str(self.calls),
            "PATH": os.pathsep.join([str(self.tools), os.environ["PATH"]]),
        }
        return subprocess.Popen(
            ["bash", str(ACTION / "pipeline.sh"), step],
            cwd=self.root,
            env={**os.environ, **given, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, step: str, **variables: str) -> tuple[int, str]:
        with self.start(step, **variables) as job:
            _, told = job.communicate(timeout=100)
        return job.returncode, told


@pytest.fixture
def steps(tmp_path) -> Steps:
    return Steps(tmp_path)


def test_a_preview_that_fails_leaves_no_plan_that_could_be_applied(steps, tmp_path):
    plan = str(tmp_path / "plan")
    steps.fake("pulumi", f"#!/bin/bash\necho '{{}}' >'{plan}/plan.json'\nexit 255\n")
    code, told = steps.run("plan", PLAN=plan)
    assert (code, "pulumi preview failed. Nothing was changed. Read its error above" in told) == (1, True), told
    assert "**Stopped:** pulumi preview failed" in steps.summary.read_text()
    assert not steps.output.exists(), "a later job would take it for a plan"
    code, told = steps.run("apply", PLAN=plan)
    assert (code, "there is no plan" in told, "Run the plan job again" in told) == (2, True, True), told
    # The next run completes it.
    again = str(tmp_path / "again")
    steps.fake("pulumi", f"#!/bin/bash\nif [ $1 = preview ]; then echo '{{}}' >'{again}/plan.json'; fi\n")
    assert steps.run("plan", PLAN=again)[0] == 0
    assert steps.output.read_text() == "changes=2\n"
    assert steps.run("apply", PLAN=again) == (0, "")


@pytest.mark.parametrize("code", [1, 2, 3])
def test_a_preflight_that_does_not_say_yes_stops_the_plan(steps, tmp_path, code):
    steps.fake("pulumi", "#!/bin/bash\ntouch ran\n")
    ended, told = steps.run("plan", PLAN=str(tmp_path / "plan"), ENDS=str(code))
    assert (ended, "the preflight did not say yes. Nothing was changed." in told) == (code, True), told
    assert not (steps.root / "ran").exists()


@pytest.mark.parametrize(
    ("code", "said"), [(1, "there are findings"), (2, "could be checked"), (3, "not everything could be checked")]
)
def test_a_verify_that_fails_says_what_it_knows(steps, tmp_path, code, said):
    ended, told = steps.run("verify", OUT=str(tmp_path / "out"), ENDS=str(code))
    assert (ended, said in told) == (code, True), told
    assert "the topology was applied" in told
    assert "Nothing needs to be undone" in told
    assert "run this job again" in told
    assert steps.run("verify", OUT=str(tmp_path / "next")) == (0, "")


def test_the_pipeline_remembers_how_far_a_check_got(steps, tmp_path):
    state = tmp_path / "new" / "state"
    given = {"CHECK": "true", "CHECK_STATE": str(state), "OUT": str(tmp_path / "out")}
    assert steps.run("verify", **given) == (0, "")
    (check,) = [line for line in steps.calls.read_text().splitlines() if line.startswith("check ")]
    assert f"--incremental {state} " in check
    assert state.parent.is_dir()


def test_a_cancelled_job_interrupts_pulumi_once_and_waits_for_it(steps, tmp_path):
    started = tmp_path / "started"
    steps.fake("pulumi", SLOW.format(python=sys.executable, started=str(started)))
    with steps.start("apply", PLAN=steps.planned(tmp_path / "plan")) as job:
        deadline = time.monotonic() + 60
        while not started.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(job.pid, signal.SIGINT)  # as hosts do it: first one signal, some seconds later another
        time.sleep(0.3)
        os.killpg(job.pid, signal.SIGTERM)
        shown, told = job.communicate(timeout=100)
    assert "pulumi saw SIGINT\n" in shown
    assert shown.startswith("::stop-commands::")
    assert (job.returncode, "the job was cancelled, so pulumi up was stopped" in told) == (1, True), told
    assert "run the pipeline again from its plan: that completes it" in told


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("exit 0", 0, ""),
        ("exit 255", 1, "pulumi up failed. What it finished is in the state"),
        ("kill -KILL $$", 1, "pulumi up was killed. The state of the stack may not show what it did last."),
    ],
)
def test_a_run_that_does_not_end_well_says_what_it_leaves(steps, tmp_path, how, code, said):
    steps.fake("pulumi", f"#!/bin/bash\n{how}\n")
    ended, told = steps.run("apply", PLAN=steps.planned(tmp_path / "plan"))
    assert (ended, said in told) == (code, True), told
    assert code == 0 or ("pulumi cancel --stack dev" in told and "that completes it" in told)
