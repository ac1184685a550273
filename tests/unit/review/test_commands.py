"""`diff`, `review` and `what-if` as a user runs them, in a real git repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from promised import promised

from kafka_topology.cli.main import main

BEFORE = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, racks: [a, b, c]}
topics:
  shop.orders:
    owner: checkout
    partitions: 6
    replication: 3
    ordering: per-key
    key: {type: uuid}
    value: {format: json, schema: schemas/order.json}
    config: {min.insync.replicas: 2}
"""
AFTER = BEFORE.replace("partitions: 6", "partitions: 12")
SCHEMA = '{"type": "object", "properties": {"id": {"type": "string"}}}'


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Path:
    """`main` has the topology with 6 partitions; the work tree, on a branch, has 12."""
    root = tmp_path / "repository"
    (root / "topology" / "schemas").mkdir(parents=True)
    (root / "topology" / "topology.yaml").write_text(BEFORE)
    (root / "topology" / "schemas" / "order.json").write_text(SCHEMA)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "before")
    git(root, "switch", "-qc", "change")
    (root / "topology" / "topology.yaml").write_text(AFTER)
    monkeypatch.chdir(root)
    return root


def test_a_review_reads_the_base_without_touching_the_work_tree(repository):
    git(repository, "add", "-A")
    (repository / "untracked").write_text("mine")
    status = git(repository, "status", "--porcelain=v2", "--branch")
    result = run("review", "topology", "--base", "main", "--format", "json")
    assert result.exit_code == 1, result.output
    assert git(repository, "status", "--porcelain=v2", "--branch") == status
    told = json.loads(result.stdout)
    (change,) = told["changes"]
    assert (change["path"], change["before"], change["after"]) == ("partitions", "6", "12")
    assert change["risk"] == "breaking"
    assert change["location"] == {"file": "topology/topology.yaml", "line": 6, "column": 17}
    assert change["was"]["file"] == "topology/topology.yaml"
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT802"]
    assert finding["new"]
    assert told["summary"] == {
        "risk": "breaking",
        "safe": 0,
        "needs-care": 0,
        "breaking": 1,
        "destructive": 0,
        "causes": 1,
    }


@pytest.fixture(scope="module")
def schema():
    return promised("review")


def test_the_json_follows_its_schema(repository, schema):
    schema.validate(json.loads(run("review", "topology", "--base", "main", "--format", "json").stdout))
    live = ("--live", "--bootstrap", "127.0.0.1:1", "--timeout", "1", "--format", "json")
    schema.validate(json.loads(run("review", "topology", "--base", "main", *live).stdout))
    change = Path(__file__).parents[3] / "examples" / "change"
    told = json.loads(run("diff", f"{change}/before.yaml", f"{change}/after.yaml", "--format", "json").stdout)
    assert {change["kind"] for change in told["changes"]} >= {"topic", "group"}
    schema.validate(told)


def test_schemas_of_the_base_are_its_own(repository):
    (repository / "topology" / "topology.yaml").write_text(BEFORE)
    (repository / "topology" / "schemas" / "order.json").write_text(SCHEMA[:-1] + ', "required": ["id"]}')
    result = run("review", "topology", "--base", "main", "--format", "json")
    (change,) = json.loads(result.stdout)["changes"]
    assert (change["path"], change["risk"]) == ("value.schema", "breaking")


def test_a_single_file_brings_the_schemas_beside_it(repository):
    result = run("review", "topology/topology.yaml", "--base", "main", "--format", "json")
    assert len(json.loads(result.stdout)["changes"]) == 1


def test_from_a_subfolder_the_paths_are_as_seen_from_there(repository, monkeypatch):
    monkeypatch.chdir(repository / "topology")
    result = run("review", ".", "--base", "main", "--format", "markdown", "--link-base", "https://host/blob/x")
    assert "https://host/blob/x/topology/topology.yaml#L6" in result.stdout


def test_what_came_to_the_base_later_is_not_part_of_the_change(repository):
    git(repository, "commit", "-qam", "after")
    git(repository, "switch", "-q", "main")
    (repository / "topology" / "topology.yaml").write_text(BEFORE + "  later: {partitions: 3, replication: 3}\n")
    git(repository, "commit", "-qam", "later")
    git(repository, "switch", "-q", "change")
    told = json.loads(run("review", "topology", "--base", "main", "--format", "json").stdout)
    assert [change["name"] for change in told["changes"]] == ["shop.orders"]


@pytest.mark.parametrize("output_format", ["text", "markdown"])
def test_a_base_that_cannot_be_read_is_could_not_check_and_the_rest_is_reviewed(repository, output_format, schema):
    (repository / "topology" / "topology.yaml").write_text("version: 1\ntopics: [oops]\n")
    git(repository, "commit", "-qam", "broken")
    (repository / "topology" / "topology.yaml").write_text(AFTER)
    result = run("review", "topology", "--base", "HEAD", "--format", output_format)
    assert result.exit_code == 3, result.output
    assert "cannot be read as a topology, so the new version is reviewed alone" in result.stdout
    assert "ould not check:" in result.stdout
    assert "topology.yaml:2" in result.stdout
    told = json.loads(run("review", "topology", "--base", "HEAD", "--format", "json").stdout)
    schema.validate(told)
    assert told["summary"]["risk"] is None
    assert "cannot be read as a topology" in told["couldNotCheck"][0]
    (repository / "topology" / "topology.yaml").write_text(AFTER.replace("replicas: 2", "replicas: 3"))
    assert run("review", "topology", "--base", "HEAD").exit_code == 1, "findings win"


NEW = "version: 1\ntopics: {a: {owner: x, partitions: 3, replication: 3, config: {min.insync.replicas: 2}}}\n"


def test_a_base_without_the_topology_is_said(repository):
    (repository / "new").mkdir()
    (repository / "new" / "t.yaml").write_text(NEW)
    result = run("review", "new", "--base", "main")
    assert "it is new, so there is no earlier version to compare with" in result.stdout
    assert result.exit_code == 0


def test_a_base_whose_folder_has_no_topology_file_yet_has_no_topology(repository):
    (repository / "new").mkdir()
    (repository / "new" / "README.md").write_text("soon")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "soon")
    (repository / "new" / "t.yaml").write_text(NEW)
    result = run("review", "new", "--base", "HEAD")
    assert (result.exit_code, "it is new" in result.stdout) == (0, True)


def test_an_environment_that_the_base_does_not_have_is_new(repository):
    (repository / "topology" / "topology.yaml").write_text(BEFORE + "environments: {staging: {}}\n")
    result = run("review", "topology", "--base", "main", "--env", "staging")
    assert result.exit_code == 0, result.output
    assert "has no environment staging: it is new" in result.stdout


@pytest.mark.parametrize("how", ["git mv", "committed", "untracked"])
def test_a_moved_folder_is_compared_with_its_old_path(repository, how):
    git(repository, "stash", "-q")
    if how == "untracked":
        (repository / "topology").rename(repository / "topo")
    else:
        git(repository, "mv", "topology", "topo")
    (repository / "topo" / "topology.yaml").write_text(AFTER)
    if how == "committed":
        git(repository, "commit", "-qam", "moved")
    status = git(repository, "status", "--porcelain=v2", "--branch")
    result = run("review", "topo", "--base", "main", "--format", "json")
    assert result.exit_code == 1, result.output
    (change,) = json.loads(result.stdout)["changes"]
    assert (change["path"], change["after"], change["was"]["file"]) == ("partitions", "12", "topology/topology.yaml")
    assert git(repository, "status", "--porcelain=v2", "--branch") == status
    assert "it was moved from topology, which is compared" in run("review", "topo", "--base", "main").stdout


def test_a_moved_folder_is_found_from_a_subfolder_and_with_what_was_removed(repository, monkeypatch):
    more = "version: 1\ntopics:\n  gone: {owner: checkout, partitions: 3, replication: 3}\n"
    (repository / "topology" / "topology.yaml").write_text(BEFORE)
    (repository / "topology" / "more.yaml").write_text(more)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "more")
    git(repository, "rm", "-q", "topology/more.yaml")
    (repository / "deep").mkdir()
    git(repository, "mv", "topology", "deep/topo")
    monkeypatch.chdir(repository / "deep")
    told = json.loads(run("review", "topo", "--base", "HEAD", "--format", "json").stdout)
    assert [(change["name"], change["action"]) for change in told["changes"]] == [("gone", "remove")]


def test_a_moved_file_is_compared_with_its_old_path(repository):
    single = BEFORE.replace("    value: {format: json, schema: schemas/order.json}\n", "")
    (repository / "topology.yaml").write_text(single)
    (repository / "other.yaml").write_text("unrelated: true\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "single")
    for new in ("kafka.yaml", "topo/topology.yaml"):
        (repository / "topo").mkdir(exist_ok=True)
        git(repository, "mv", "topology.yaml", new)
        (repository / new).write_text(single.replace("partitions: 6", "partitions: 12"))
        path = new.split("/", maxsplit=1)[0]
        told = json.loads(run("review", path, "--base", "HEAD", "--format", "json").stdout)
        assert [change["path"] for change in told["changes"]] == ["partitions"]
        assert "it was moved from topology.yaml" in told["notes"][0]
        git(repository, "reset", "-q", "--hard")


@pytest.mark.parametrize("output_format", ["text", "json", "markdown"])
def test_a_new_version_that_cannot_be_read_ends_with_2_in_every_format(repository, output_format):
    (repository / "topology" / "topology.yaml").write_text("version: 1\ntopics: [oops]\n")
    result = run("review", "topology", "--base", "main", "--format", output_format)
    assert result.exit_code == 2
    assert "KT003" in result.stdout


def test_a_new_version_that_cannot_be_read_is_not_called_safe(repository, schema):
    (repository / "topology" / "topology.yaml").write_text("version: 1\ntopics: [oops]\n")
    told = json.loads(run("review", "topology", "--base", "main", "--format", "json").stdout)
    schema.validate(told)
    assert told["summary"]["risk"] is None
    assert told["couldNotCheck"] == ["topology cannot be read as a topology, so nothing was compared"]


def test_an_unknown_revision_and_no_repository_say_what_to_do(repository, tmp_path, monkeypatch):
    result = run("review", "topology", "--base", "nowhere")
    assert (result.exit_code, "fetch it first" in result.stderr) == (2, True)
    assert run("review", "topology", "--base=--output=x").exit_code == 2
    result = run("review", "topology", "--base", "")
    assert (result.exit_code, "the revision is empty; pass a branch" in result.stderr) == (2, True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    result = run("review", str(repository / "topology"), "--base", "main")
    assert (result.exit_code, "not in a git repository" in result.stderr) == (2, True)


@pytest.mark.parametrize("base", ["main", "HEAD", "origin/main"])
def test_a_repository_without_a_commit_says_so(tmp_path, monkeypatch, base):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "t.yaml").write_text(NEW)
    monkeypatch.chdir(tmp_path)
    result = run("review", "t.yaml", "--base", base)
    assert (result.exit_code, "there is no commit yet" in result.stderr) == (2, True)
    assert "fetch" not in result.stderr


def test_a_shallow_clone_without_the_common_commit_compares_nothing(repository, tmp_path, monkeypatch):
    git(repository, "commit", "-qam", "after")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", "-b", "change", f"file://{repository}", str(clone))
    monkeypatch.chdir(clone)
    result = run("review", "topology", "--base", "origin/main")
    assert (result.exit_code, "fetch it first" in result.stderr) == (2, True)
    git(clone, "fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    result = run("review", "topology", "--base", "origin/main", "--format", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no common commit of HEAD and origin/main" in result.stderr
    assert "fetch-depth: 0" in result.stderr
    git(clone, "fetch", "-q", "--unshallow", "origin")
    result = run("review", "topology", "--base", "origin/main", "--format", "json")
    assert [change["path"] for change in json.loads(result.stdout)["changes"]] == ["partitions"]
    monkeypatch.chdir(repository)
    assert json.loads(run("review", "topology", "--base", "main", "--format", "json").stdout)["notes"] == []


def test_unrelated_histories_are_not_compared(repository):
    git(repository, "stash", "-q")
    git(repository, "switch", "-q", "--orphan", "other")
    (repository / "topology").mkdir(exist_ok=True)
    (repository / "topology" / "t.yaml").write_text(NEW)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "other")
    result = run("review", "topology", "--base", "main")
    assert (result.exit_code, "kafka-topology diff main:PATH PATH" in result.stderr) == (2, True)


def test_an_environment_that_is_named_twice_is_reviewed_once(repository):
    (repository / "topology" / "topology.yaml").write_text(AFTER + "environments: {dev: {}}\n")
    result = run("review", "topology", "--base", "main", "--env", "dev", "--env", "dev", "--format", "json")
    assert json.loads(result.stdout)["environments"] == ["dev"]


def test_a_link_in_the_base_cannot_lead_out(repository):
    (repository / "topology" / "more.yaml").symlink_to("/etc/hostname")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "link")
    (repository / "topology" / "more.yaml").unlink()
    result = run("review", "topology", "--base", "HEAD")
    assert "leads out of the topology's folder" in result.stdout


def test_several_environments_share_what_they_share(repository):
    overlays = "environments:\n  dev: {topics: {shop.orders: {description: d}}}\n  prod: {}\n"
    (repository / "topology" / "topology.yaml").write_text(BEFORE + "environments: {dev: {}, prod: {}}\n")
    git(repository, "commit", "-qam", "environments")
    (repository / "topology" / "topology.yaml").write_text(AFTER + overlays)
    told = json.loads(
        run("review", "topology", "--base", "HEAD", "--env", "dev", "--env", "prod", "--format", "json").stdout
    )
    found = {change["path"]: change["environments"] for change in told["changes"]}
    assert found == {"partitions": ["dev", "prod"], "description": ["dev"]}


def test_diff_takes_revisions_folders_and_files(repository):
    assert run("diff", "main:topology", "topology").exit_code == 1
    assert run("diff", "topology", "topology").exit_code == 0
    assert run("diff", "main:topology/topology.yaml", "topology/topology.yaml", "--format", "markdown").exit_code == 1
    assert run("diff", "main:nowhere", "topology").exit_code == 2
    assert "no changes" in run("diff", "main:topology", "HEAD:topology").stdout


def test_an_output_file_is_written_and_stdout_stays_empty(repository):
    (repository / "out").mkdir()
    result = run("review", "topology", "--base", "main", "--format", "markdown", "--output", "out/comment.md")
    assert result.stdout == ""
    assert (repository / "out" / "comment.md").read_text().startswith("<!-- kafka-topology:review -->")


def test_a_cluster_that_does_not_answer_is_could_not_check(repository):
    (repository / "topology" / "topology.yaml").write_text(BEFORE)
    live = ("--live", "--bootstrap", "127.0.0.1:1", "--timeout", "1")
    result = run("review", "topology", "--base", "main", *live)
    assert result.exit_code == 3, result.output
    assert "could not check: Kafka at 127.0.0.1:1 cannot be reached" in result.stdout
    assert run("what-if", "topology", "--lose-broker", "1", *live).exit_code == 3
    assert run("review", "topology", "--base", "main", "--live").exit_code == 2


@pytest.mark.parametrize(
    "option", [("--bootstrap", "127.0.0.1:1"), ("--client-config", "topology/topology.yaml"), ("--timeout", "1")]
)
@pytest.mark.parametrize("command", [("review", "--base", "main"), ("what-if", "--lose-broker", "1")])
def test_how_to_reach_a_cluster_needs_live(repository, command, option):
    name, *arguments = command
    result = run(name, "topology", *arguments, *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{option[0]} needs --live" in result.stderr


@pytest.mark.parametrize("option", ["--link-base", "--key", "--page-url"])
@pytest.mark.parametrize("output_format", [(), ("--format", "json")])
def test_options_of_the_comment_need_markdown(repository, option, output_format):
    result = run("review", "topology", "--base", "main", *output_format, option, "https://x.example")
    assert (result.exit_code, f"{option} needs --format markdown" in result.stderr) == (2, True)
    if option == "--link-base":
        assert run("diff", "main:topology", "topology", *output_format, option, "https://x.example").exit_code == 2


def test_origins_do_not_change_a_list_of_acls(repository):
    result = run("show", "topology", "--acls", "--origins")
    assert (result.exit_code, "--origins does nothing with --acls" in result.stderr) == (2, True)


@pytest.mark.parametrize(("text", "reason"), [("[]", "neither steps nor diagnostics"), ("error: x", "it is not JSON")])
def test_a_preview_that_is_none_is_could_not_check_and_the_rest_is_reviewed(repository, text, reason):
    (repository / "p.json").write_text(text)
    result = run("review", "topology", "--base", "main", "--preview", "p.json")
    assert (result.exit_code, reason in result.stdout) == (1, True)
    assert "50% of the keys" in result.stdout
    assert "drift, by the Pulumi preview" not in result.stdout
    (repository / "topology" / "topology.yaml").write_text(BEFORE)
    assert run("review", "topology", "--base", "main", "--preview", "p.json").exit_code == 3
    assert run("review", "topology", "--base", "main", "--preview", "missing.json").exit_code == 2


def test_what_if_asks_for_one_loss_that_is_there(repository):
    assert "Losing broker 1: every topic" in run("what-if", "topology", "--lose-broker", "1").stdout
    assert "there is no broker 9" in run("what-if", "topology", "--lose-broker", "9").stderr
    assert "there is no rack z" in run("what-if", "topology", "--lose-rack", "z").stderr
    assert run("what-if", "topology").exit_code == 2
    assert json.loads(run("what-if", "topology", "--lose-rack", "a", "--format", "json").stdout)["brokers"] == [1]


@pytest.mark.parametrize("name", ["diff", "review", "what-if", "init"])
def test_help_has_an_example(name):
    assert f"kafka-topology {name} " in run(name, "--help").stdout


TRANSITIVE = BEFORE.replace("    value:", "    compatibility: backward-transitive\n    value:")


def test_a_transitive_promise_is_held_against_the_history_of_the_base(repository, tmp_path, monkeypatch):
    schema = repository / "topology" / "schemas" / "order.json"
    with_n = '{"properties": {"n": {"type": "%s"}}}'
    texts = (with_n % "integer", '{"properties": {}, "additionalProperties": false}', with_n % "string")
    (repository / "topology" / "topology.yaml").write_text(TRANSITIVE)
    for text in texts[:2]:
        schema.write_text(text)
        git(repository, "commit", "-qam", "schema")
    first = git(repository, "rev-parse", "--short=10", "HEAD~1").strip()
    schema.write_text(texts[2])
    told = json.loads(run("review", "topology", "--base", "HEAD", "--format", "json").stdout)
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT807"]
    assert f"n was integer and is now string (since {first})" in finding["message"]
    assert [change["risk"] for change in told["changes"]] == ["breaking"]
    assert run("diff", "HEAD:topology", "topology").exit_code == 1

    once = TRANSITIVE.replace("backward-transitive", "backward")
    (repository / "topology" / "topology.yaml").write_text(once)
    git(repository, "commit", "-qm", "only the last one", "--", "topology/topology.yaml")
    assert run("review", "topology", "--base", "HEAD").exit_code == 0

    git(repository, "checkout", "-q", "HEAD~1", "--", "topology/topology.yaml")
    git(repository, "commit", "-qm", "transitive", "--", "topology/topology.yaml")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "2", "-b", "change", f"file://{repository}", str(clone))
    (clone / "topology" / "schemas" / "order.json").write_text(texts[2])
    monkeypatch.chdir(clone)
    result = run("review", "topology", "--base", "HEAD", "--format", "json")
    assert result.exit_code == 3, "what cannot be compared is never fine"
    assert "its earlier versions are not known" in json.loads(result.stdout)["couldNotCheck"][0]
    monkeypatch.chdir(repository)
    git(repository, "worktree", "add", "-q", str(tmp_path / "old"), "HEAD")
    assert run("diff", str(tmp_path / "old" / "topology"), "topology").exit_code == 3


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_link_to_the_topology_is_compared_with_what_it_leads_to(repository, is_committed):
    (repository / "deep").mkdir()
    (repository / "deep" / "link").symlink_to("../topology")
    (repository / "linked").symlink_to("deep/link")
    if is_committed:
        git(repository, "add", "deep", "linked")
        git(repository, "commit", "-qm", "links")
    for path in ("linked", "deep/link"):
        result = run("review", path, "--base", "HEAD", "--format", "json")
        told = json.loads(result.stdout)
        assert [change["path"] for change in told["changes"]] == ["partitions"], result.stdout
        assert [change["location"]["file"] for change in told["changes"]] == ["topology/topology.yaml"]
        assert told["couldNotCheck"] == []
        assert "file=topology/topology.yaml" in run("review", path, "--base", "HEAD", "--format", "github").stdout


def test_a_link_to_what_the_base_does_not_have_is_new(repository):
    (repository / "elsewhere").mkdir()
    (repository / "elsewhere" / "t.yaml").write_text(AFTER.replace("schemas/order.json", "order.json"))
    (repository / "elsewhere" / "order.json").write_text(SCHEMA)
    (repository / "linked").symlink_to("elsewhere")
    result = run("review", "linked", "--base", "HEAD")
    assert "no earlier version to compare with" in result.stdout


@pytest.mark.parametrize("target", ["../../elsewhere", "/etc", "linked"])
def test_a_link_of_the_base_that_leads_nowhere_is_refused(repository, target):
    (repository / "linked").symlink_to(target)
    git(repository, "add", "linked")
    git(repository, "commit", "-qm", "a link")
    (repository / "linked").unlink()
    (repository / "linked").symlink_to("topology")
    result = run("review", "linked", "--base", "HEAD")
    assert result.exit_code == 2
    assert "leads out of the repository or in a circle" in result.stderr


def test_a_link_that_leads_out_of_the_topology_is_named(repository):
    (repository / "common.yaml").write_text("version: 1\n")
    (repository / "topology" / "common.yaml").symlink_to("../common.yaml")
    result = run("review", "topology", "--base", "HEAD")
    assert result.exit_code == 2
    assert "topology/common.yaml:1:1: error KT001" in result.stdout
    assert "leads out of the topology's folder" in result.stdout
