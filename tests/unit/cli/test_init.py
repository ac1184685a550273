"""`kafka-topology init` writes a repository that is right from the first moment."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner
from gitted import git

from kafka_topology import __version__
from kafka_topology.cli.main import main


@pytest.fixture
def made(tmp_path):
    folder = tmp_path / "my topology"
    result = CliRunner().invoke(main, ["init", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("environment", [(), ("--env", "dev")])
def test_the_written_files_have_no_findings(made, environment):
    code, output = run("validate", str(made / "topology"), *environment, "--fail-on", "advice")
    assert (code, "no findings" in output) == (0, True), output
    assert run("fmt", "--check", str(made / "topology"))[0] == 0


def test_the_instructions_are_under_ten_lines_and_their_commands_exist(made):
    readme = (made / "README.md").read_text()
    steps = readme.split("```console\n")[1].split("```")[0].strip().splitlines()
    assert len(steps) < 10
    assert steps[-1] == "pulumi up"
    commands = [step.split()[1] for step in steps if step.startswith("kafka-topology")]
    assert commands
    for command in commands:
        assert run(command, "--help")[0] == 0


def test_every_file_it_writes_can_be_read(made):
    assert yaml.safe_load((made / "Pulumi.yaml").read_text())["name"] == "my-topology"
    workflows = {file.stem: yaml.safe_load(file.read_text()) for file in (made / ".github" / "workflows").iterdir()}
    assert {name: list(workflow["jobs"]) for name, workflow in workflows.items()} == {
        "topology": ["review"],
        "deploy": ["plan", "apply", "verify"],
        "nightly": ["audit"],
    }
    hooks = yaml.safe_load((made / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert {hook["id"] for hook in hooks} == {"kafka-topology-validate", "kafka-topology-fmt"}
    subprocess.run([sys.executable, "-m", "py_compile", str(made / "program" / "__main__.py")], check=True)


def installed_from(folder):
    lines = (folder / "requirements.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_one_line_says_where_kafka_topology_comes_from(made, tmp_path):
    assert installed_from(made) == [f"./wheels/kafka_topology-{__version__}-py3-none-any.whl[local,pulumi]"]
    named = "git+https://git.example.com/kafka-topology@v0.1.0"
    code, output = run("init", str(tmp_path / "named"), "--package", named)
    assert (code, "First:" in output) == (0, False)
    assert installed_from(tmp_path / "named") == [f"kafka-topology[local,pulumi] @ {named}"]
    assert named in (tmp_path / "named" / "README.md").read_text()


@pytest.mark.parametrize("package", ["./a.whl[all]", "kafka-topology[spark,pulumi] @ https://example.com/a.whl"])
def test_extras_that_a_package_names_stay(tmp_path, package):
    assert run("init", str(tmp_path / "new"), "--package", package)[0] == 0
    assert installed_from(tmp_path / "new") == [package]


@pytest.mark.parametrize("package", ["", " ", "a\nb"])
def test_a_package_is_one_line(tmp_path, package):
    assert run("init", str(tmp_path / "new"), "--package", package)[0] == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("folder", "arguments"), [("kafka-topology", []), ("x", ["--name", "kafka-topology"])])
def test_a_project_does_not_take_the_providers_name(tmp_path, folder, arguments):
    result = CliRunner().invoke(main, ["init", str(tmp_path / folder), *arguments])
    assert result.exit_code == 2
    assert "the provider's name" in " ".join(result.output.split())
    assert not (tmp_path / folder).exists()


def test_a_folder_with_the_providers_name_asks_for_a_name(tmp_path):
    result = CliRunner().invoke(main, ["init", str(tmp_path / "kafka-topology")])
    assert "Invalid value" not in result.output
    assert "--name kafka-topology-shop" in " ".join(result.output.split())


@pytest.mark.parametrize(("folder", "project"), [("ünï", "uni"), ("my shop!", "my-shop"), ("café_1.x", "cafe_1.x")])
def test_the_folders_name_becomes_the_projects(tmp_path, folder, project):
    assert run("init", str(tmp_path / folder))[0] == 0
    assert f"name: {project}\n" in (tmp_path / folder / "Pulumi.yaml").read_text()


@pytest.mark.parametrize("folder", ["тема", "groß", "shop-订单"])
def test_a_folder_whose_letters_cannot_be_kept_asks_for_a_name(tmp_path, folder):
    code, output = run("init", str(tmp_path / folder))
    assert (code, "pass a name with --name" in " ".join(output.split())) == (2, True)
    assert not (tmp_path / folder).exists()
    assert run("init", str(tmp_path / folder), "--name", "shop")[0] == 0


def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / ".gitignore").symlink_to("nowhere")
    code, output = run("init", str(tmp_path))
    assert code == 2
    assert "these exist: .gitignore" in output
    assert (tmp_path / "README.md").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitignore", "README.md"]


def test_a_second_init_refuses(made):
    assert run("init", str(made))[0] == 2


def test_the_pipeline_trusts_no_change_and_pins_what_it_runs(made, tmp_path):
    assert run("init", str(tmp_path / "lab"), "--ci", "gitlab", "--stack", "live")[0] == 0
    written = [*(made / ".github" / "workflows").iterdir(), tmp_path / "lab" / ".gitlab-ci.yml"]
    for file in written:
        text = file.read_text()
        assert "pull_request_target:" not in text
        assert "{stack}" not in text
        assert "{topology}" not in text
        for line in text.splitlines():
            assert not re.search(r"python3? (?!-I)", line), line
            assert "uses:" not in line or re.search(r"@[0-9a-f]{40} # v", line), line
    review = yaml.safe_load((made / ".github" / "workflows" / "topology.yml").read_text())
    assert "secrets." not in str(review["jobs"])
    assert review[True] == "pull_request"  # YAML reads `on` as true; with a filter it could not be a required check
    deploy = yaml.safe_load((made / ".github" / "workflows" / "deploy.yml").read_text())
    assert deploy["concurrency"]["cancel-in-progress"] is False
    assert deploy["jobs"]["apply"]["environment"] == "prod"
    assert deploy["jobs"]["apply"]["steps"][-1]["run"].startswith("exec bash "), "or a cancelled job's signal is lost"
    assert deploy["jobs"]["apply"]["env"]["BRANCH"] == "main"
    lab = yaml.safe_load((tmp_path / "lab" / ".gitlab-ci.yml").read_text())
    assert lab["apply"]["rules"][1]["when"] == "manual"
    assert (lab[".deploys"]["interruptible"], lab[".deploys"]["resource_group"]) == (False, "deploy-live")
    assert ".venv" not in (made / ".pre-commit-config.yaml").read_text()


def test_a_pull_request_that_does_not_touch_the_topology_passes_at_once(made, tmp_path):
    steps = yaml.safe_load((made / ".github" / "workflows" / "topology.yml").read_text())["jobs"]["review"]["steps"]
    (asked,) = [step for step in steps if step.get("id") == "changed"]
    after = steps[steps.index(asked) + 1 :]
    assert all("steps.changed.outputs.review" in step["if"] or "steps.review.outputs" in step["if"] for step in after)

    def commit(file: str, text: str) -> str:
        (made / file).write_text(text)
        git(made, "add", "-A")
        git(made, "commit", "--quiet", "--message", "change")
        return git(made, "rev-parse", "HEAD").strip()

    def is_reviewed(base: str, pushed: str = "") -> bool:
        output = tmp_path / "output"
        output.write_text("")
        given = {**os.environ, "BASE": base, "PUSHED": pushed, "GITHUB_OUTPUT": str(output)}
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", asked["run"]], cwd=made, env=given, check=True)
        assert done.returncode == 0
        return output.read_text() == "review=true\n"

    git(made, "init", "--quiet", "--initial-branch", "main")
    base = commit("other.txt", "1")
    first = commit("other.txt", "2")
    assert not is_reviewed(base)
    topology = (made / "topology" / "orders.yaml").read_text()
    changed = commit("topology/orders.yaml", topology + "# more\n")
    assert is_reviewed(base, first)
    commit("topology/orders.yaml", topology)
    assert is_reviewed(base, changed), "the comment still shows the change that the push took back"
    assert not is_reviewed(base, first)
    assert is_reviewed(base, "0123456789012345678901234567890123456789"), (
        "git does not have what a forced push replaced"
    )
    assert is_reviewed("0123456789012345678901234567890123456789")


def test_gitlab_has_a_report_of_the_branch_to_compare_with(tmp_path):
    assert run("init", str(tmp_path / "lab"), "--ci", "gitlab", "--branch", "live")[0] == 0
    review = yaml.safe_load((tmp_path / "lab" / ".gitlab-ci.yml").read_text())["review"]
    request, schedule, branch = review["rules"]
    assert request == {"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}  # `changes` would leave some without a job
    assert schedule["when"] == "never"
    # Findings that the branch has must not keep `plan` from running.
    assert branch == {"if": '$CI_COMMIT_BRANCH == "live"', "allow_failure": True}
    # The pipeline of a branch has no base: it installs what it has itself.
    (revision,) = [line for line in review["before_script"] if "REVISION=" in line]
    shown = ["bash", "-c", f'{revision} && echo "$REVISION"']
    for given, expected in (({}, "head"), ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": "base"}, "base")):
        done = subprocess.run(shown, env={**given, "CI_COMMIT_SHA": "head"}, capture_output=True, text=True, check=True)
        assert done.stdout == f"{expected}\n"


def test_the_pipeline_keeps_the_page_of_a_change_and_the_state_of_checks(made, tmp_path):
    workflows = made / ".github" / "workflows"
    steps = yaml.safe_load((workflows / "topology.yml").read_text())["jobs"]["review"]["steps"]
    assert steps[-2]["id"] == "review"
    assert "/actions/runs/" in steps[-2]["env"]["PAGE_URL"]
    assert steps[-1]["with"]["path"] == "${{ steps.review.outputs.page }}"
    assert steps[-1]["with"]["include-hidden-files"] is True
    for workflow, job in (("deploy.yml", "verify"), ("nightly.yml", "audit")):
        steps = yaml.safe_load((workflows / workflow).read_text())["jobs"][job]["steps"]
        (cache,) = [step["with"] for step in steps if step.get("uses", "").startswith("actions/cache@")]
        (state,) = [step["env"]["CHECK_STATE"] for step in steps if "CHECK_STATE" in step.get("env", {})]
        assert state == cache["path"] + "/state"
        assert cache["key"].startswith(cache["restore-keys"])
    assert run("init", str(tmp_path / "lab"), "--ci", "gitlab")[0] == 0
    lab = yaml.safe_load((tmp_path / "lab" / ".gitlab-ci.yml").read_text())
    (folder,) = lab[".remembers"]["cache"]["paths"]
    for job in ("verify", "nightly"):
        assert ".remembers" in lab[job]["extends"]
        assert any(f'CHECK_STATE="$CI_PROJECT_DIR/{folder}/state"' in line for line in lab[job]["script"])
    assert f"{folder}/" in (tmp_path / "lab" / ".gitignore").read_text().splitlines()


def test_an_existing_repository_keeps_its_readme_and_its_ignored_files(tmp_path):
    (tmp_path / "README.md").write_text("ours\n")
    (tmp_path / ".gitignore").write_text("*.log\n.venv/")
    code, output = run("init", str(tmp_path), "--name", "shop")
    assert code == 0, output
    assert (tmp_path / "README.md").read_text() == "ours\n"
    lines = (tmp_path / ".gitignore").read_text().splitlines()
    assert lines[:2] == ["*.log", ".venv/"]
    assert lines.count(".venv/") == 1
    assert ".kafka-topology/" in lines
    assert run("init", str(tmp_path), "--name", "shop")[0] == 2  # the topology is there now


@pytest.mark.parametrize("option", ["--stack", "--branch"])
def test_names_cannot_write_into_the_workflow(tmp_path, option):
    assert run("init", str(tmp_path / "new"), option, "a: {x}")[0] == 2
    assert not (tmp_path / "new").exists()


HELD = """\
version: 1
topics: {orders: {owner: shop, partitions: 6, replication: 3}}
environments: {staging: {}, prod: {}}
"""


@pytest.fixture
def held(tmp_path):
    """A repository with a topology of its own, elsewhere."""
    (tmp_path / "kafka" / "eu").mkdir(parents=True)
    (tmp_path / "kafka" / "eu" / "all.yaml").write_text(HELD)
    (tmp_path / ".gitignore").write_text("*.log\n")
    return tmp_path


def only(held, *arguments):
    place = () if "--topology" in arguments else ("--topology", "kafka/eu")
    result = CliRunner().invoke(main, ["init", str(held), "--name", "shop", "--only-pipeline", *place, *arguments])
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_a_repository_with_a_topology_gets_the_pipeline_alone(held, ci):
    code, output = only(held, "--ci", ci, "--environments", "staging, prod,staging")
    assert code == 0, output
    assert "(kafka-topology:path is kafka/eu)" in output
    written = {str(file.relative_to(held)) for file in held.rglob("*") if file.is_file()}
    pipeline = {f".github/workflows/{each}.yml" for each in ("deploy", "nightly", "topology")}
    assert written - {"kafka/eu/all.yaml", ".gitignore"} == {
        "Pulumi.yaml", "program/__main__.py", "requirements.txt", *(pipeline if ci == "github" else {".gitlab-ci.yml"}),
    }  # fmt: skip
    assert (held / "kafka" / "eu" / "all.yaml").read_text() == HELD
    assert ".plan/" in (held / ".gitignore").read_text()
    if ci == "github":
        review = yaml.safe_load((held / ".github/workflows/topology.yml").read_text())["jobs"]["review"]["steps"]
        given = next(step["env"] for step in review if step.get("id") == "review")
        deploy = yaml.safe_load((held / ".github/workflows/deploy.yml").read_text())
        assert deploy[True]["push"]["paths"][:2] == ["kafka/eu", "kafka/eu/**"]
        assert "kafka/eu" in deploy["jobs"]["apply"]["env"]["DEPLOYS"].split()
    else:
        given = yaml.safe_load((held / ".gitlab-ci.yml").read_text())["review"]["variables"]
    assert (given["TOPOLOGY_PATH"], given["ENVIRONMENTS"]) == ("kafka/eu", "staging prod")


def test_files_that_exist_stay_and_the_output_says_what_they_must_have(held):
    (held / "requirements.txt").write_text("requests\n")
    (held / ".github" / "workflows").mkdir(parents=True)
    (held / ".github" / "workflows" / "deploy.yml").write_text("ours\n")
    (held / "Pulumi.yaml").symlink_to("nowhere")
    code, output = only(held)
    assert code == 0, output
    assert "requirements.txt stays as it is: it must install kafka-topology with the extra [pulumi]" in output
    assert "deploy.yml stays as it is" in output
    assert "copy the wheel" not in output
    assert (held / "requirements.txt").read_text() == "requests\n"
    assert (held / ".github" / "workflows" / "deploy.yml").read_text() == "ours\n"
    assert (held / "Pulumi.yaml").is_symlink()
    assert not (held / "nowhere").exists()
    assert (held / ".github" / "workflows" / "nightly.yml").is_file()
    before = {file: file.read_bytes() for file in held.rglob("*") if file.is_file()}
    code, output = only(held)
    assert (code, "nightly.yml" in output) == (0, False), "what init wrote itself is not worth a word"
    assert before == {file: file.read_bytes() for file in held.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--environments", "stagin"], "has no environment `stagin`; did you mean"),
        (["--environments", "a b"], "use letters"),
        (["--environments", "$(x)"], "use letters"),
        (["--topology", "kafka/us"], "there is no topology at"),
        (["--topology", "../kafka"], "below DIR"),
        (["--topology", "/etc"], "use letters"),
        (["--topology", "a b"], "use letters"),
        (["--topology", "-x"], "use letters"),
        (["--ci", "none"], "asks for none"),
    ],
)
def test_what_the_pipeline_could_not_use_is_refused_before_anything_is_written(held, arguments, said):
    code, output = only(held, *arguments)
    assert (code, said in output) == (2, True), output
    assert sorted(path.name for path in held.iterdir()) == [".gitignore", "kafka"]


def test_a_topology_that_is_there_gets_no_example_and_a_new_one_is_written_where_it_is_wanted(held, tmp_path):
    code, output = run("init", str(held), "--name", "shop", "--topology", "./kafka/eu/")
    assert code == 0, output
    assert [file.name for file in (held / "kafka" / "eu").iterdir()] == ["all.yaml"]
    assert "entry: kafka-topology validate kafka/eu\n" in (held / ".pre-commit-config.yaml").read_text()
    assert "kafka-topology:path: kafka/eu\n" in (held / "Pulumi.dev.yaml").read_text()
    new = tmp_path / "new"
    assert run("init", str(new), "--topology", "kafka", "--environments", "dev")[0] == 0
    assert run("validate", str(new / "kafka"), "--env", "dev", "--fail-on", "advice")[0] == 0
    assert "kafka-topology validate kafka\n" in (new / "README.md").read_text()
    code, output = run("init", str(tmp_path / "other"), "--environments", "prod")
    assert (code, "has no environment `prod`; it has dev" in " ".join(output.split())) == (2, True), output
    code, output = run("init", str(tmp_path / "other"), "--topology", "kafka.yaml")
    assert (code, "name a folder" in " ".join(output.split())) == (2, True), output
    assert not (tmp_path / "other").exists()
