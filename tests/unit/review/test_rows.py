"""One cause, one row, at the line that changed."""

from __future__ import annotations

import json

import pytest
from gitted import Repository, repository_of, run

PLATFORM = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, racks: [a, b, c], defaults: {min.insync.replicas: 2, log.retention.ms: 7d}}
profiles:
  event:
    partitions: 6
    replication: 3
    retention: 7d
    throughput: {average: 1MB/s, peak: 2MB/s, recordSize: 1KB}
  short:
    extends: event
    retention: 1d
  plain: {partitions: 6, replication: 3}
environments:
  staging: {}
  prod: {}
"""


def team_file(team: str) -> str:
    topics = "".join(f"  {team}.t{n}: {{profile: event, owner: {team}}}\n" for n in range(1, 6))
    fields = f"owner: {team}, principal: 'User:{team}', topics: [{team}.t1], start: earliest, maxOutage: 3d"
    group = f"  {team}.g: {{{fields}}}\n"
    return f"version: 1\ntopics:\n{topics}consumerGroups:\n{group}"


TEAMS = ("checkout", "logistics", "payments")


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    files = {"platform.yaml": PLATFORM, **{f"{team}.yaml": team_file(team) for team in TEAMS}}
    made = repository_of(tmp_path / "repository", files)
    monkeypatch.chdir(made.root)
    return made


def only_row(text: str) -> list[str]:
    """The lines of the risk table of a comment."""
    lines = text.splitlines()
    start = lines.index("| risk | team | resource | change | effect |")
    return [line for line in lines[start + 2 : lines.index("", start)] if line.startswith("|")]


def test_a_line_of_a_profile_is_one_row_with_its_numbers(repository):
    repository.edit("platform.yaml", ("retention: 7d\n    throughput", "retention: 2d\n    throughput"))
    both = ("--env", "staging", "--env", "prod")
    (row,) = only_row(repository.review("--format", "markdown", *both).stdout)
    assert "profile event<br><code>topology/platform.yaml:7</code>" in row
    assert "<code>7d</code> → <code>2d</code><br>on 15 topics of 3 teams" in row
    assert "about 6.5 TB can be deleted within minutes" in row
    assert "checkout.g, logistics.g and payments.g may be down for longer" in row
    text = repository.review(*both).stdout
    assert "profile event (topology/platform.yaml:7)" in text
    assert "1 change (1 destructive) since main" in text
    assert text.count("7d → 2d") == 1
    told = repository.told(*both)
    assert len(told["changes"]) == 15
    assert told["summary"]["causes"] == 1
    assert {json.dumps(change["cause"], sort_keys=True) for change in told["changes"]} == {
        '{"kind": "profile", "location": {"column": 16, "file": "topology/platform.yaml", "line": 7}, "name": "event"}'
    }


def test_an_environment_that_changes_alone_says_so(repository):
    repository.edit("platform.yaml", ("staging: {}", "staging: {profiles: {event: {retention: 2d}}}"))
    (row,) = only_row(repository.review("--format", "markdown", "--env", "staging", "--env", "prod").stdout)
    assert "on 15 topics of 3 teams" in row
    assert "in staging" in row


def test_a_default_of_the_cluster_is_one_row_with_what_it_changes(repository):
    repository.edit("platform.yaml", ("min.insync.replicas: 2", "min.insync.replicas: 1"))
    (row,) = only_row(repository.review("--format", "markdown").stdout)
    assert "cluster default min.insync.replicas" in row
    assert "on 15 topics of 3 teams" in row


INHERITING = """\
version: 1
topics:
  plain.log: {partitions: 6, replication: 3, owner: plain}
  plain.table: {partitions: 6, replication: 3, owner: plain, key: {type: string}, config: {cleanup.policy: compact}}
"""


def defaults_changed(repository: Repository, before: str, after: str) -> dict:
    """The review of a change of the cluster's defaults, with topics that inherit some of them."""
    repository.write({"plain.yaml": INHERITING})
    repository.edit("platform.yaml", ("log.retention.ms: 7d", f"num.partitions: 3{before}"))
    repository.commit("inheriting")
    repository.edit("platform.yaml", (f"num.partitions: 3{before}", f"num.partitions: 3{after}"))
    text = run("review", "topology", "--base", "HEAD").stdout
    told = json.loads(run("review", "topology", "--base", "HEAD", "--format", "json").stdout)
    return {"text": " ".join(text.split()), **told}


@pytest.mark.parametrize(
    ("before", "after", "name", "at"),
    [
        (", log.retention.hours: 168", ", log.retention.hours: 24", "log.retention.hours", "24}"),
        ("", ", log.retention.hours: 24", "log.retention.hours", "24}"),
        (
            ", log.retention.hours: 24, log.retention.ms: 7d",
            ", log.retention.hours: 24",
            "log.retention.ms",
            "{min.insync",
        ),
        (", log.retention.hours: 168", ", log.retention.hours: 168, log.retention.ms: 1d", "log.retention.ms", "1d}"),
    ],
)
def test_a_default_under_another_name_is_one_row_at_its_own_line(repository, before, after, name, at):
    told = defaults_changed(repository, before, after)
    assert told["summary"]["causes"] == 1
    assert f"cluster default {name} (topology/platform.yaml:2)" in told["text"]
    assert "config.retention.ms: 7d → 1d on 1 topic of 1 team" in told["text"]
    assert "on: plain.log" in told["text"]
    assert "plain.table" not in told["text"]
    (topic,) = [change for change in told["changes"] if change["kind"] == "topic"]
    line = (repository.root / "topology" / "platform.yaml").read_text().splitlines()[1]
    assert line[topic["cause"]["location"]["column"] - 1 :].startswith(at)
    assert topic["cause"]["name"] == name


def test_a_line_of_the_cluster_is_not_counted_among_the_topics(repository):
    repository.edit("platform.yaml", ("min.insync.replicas: 2", "min.insync.replicas: 1"))
    text = " ".join(repository.review().stdout.split())
    assert "on 15 topics of 3 teams" in text
    assert "and 7 more" in text  # 8 of 15 are named


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (", auto.create.topics.enable: true", "a setting of the brokers, which no topic inherits"),
        (", offsets.retention.minutes: 60", "offsets of groups without members for 1h are deleted"),
    ],
)
def test_a_default_that_no_topic_inherits_is_not_said_to_be_followed(repository, after, words):
    told = defaults_changed(repository, "", after)
    assert words in told["text"]
    assert "topics that do not set it" not in told["text"]


def test_what_counts_for_nothing_on_a_topic_is_a_row_of_its_own(repository):
    table = "  checkout.t9: {profile: event, owner: checkout, key: {type: string}, config: {cleanup.policy: compact}}\n"
    repository.edit("checkout.yaml", ("topics:\n", f"topics:\n{table}"))
    repository.commit("a table")
    repository.edit("platform.yaml", ("retention: 7d\n    throughput", "retention: 2d\n    throughput"))
    text = " ".join(run("review", "topology", "--base", "HEAD").stdout.split())
    assert "destructive config.retention.ms: 7d → 2d on 15 topics of 3 teams" in text
    assert "the topic is only compacted, so Kafka deletes nothing by age or size" in text


def test_six_hundred_topics_and_one_line_fit_on_a_screen(repository):
    many = "".join(f"  many.t{n}: {{profile: event, owner: many}}\n" for n in range(600))
    repository.write({"many.yaml": f"version: 1\ntopics:\n{many}"})
    repository.commit("many")
    repository.edit("platform.yaml", ("retention: 7d\n    throughput", "retention: 2d\n    throughput"))

    text = run("review", "topology", "--base", "HEAD").stdout
    assert "on 615 topics of 4 teams" in text
    assert len(text.splitlines()) < 50
    comment = run("review", "topology", "--base", "HEAD", "--format", "markdown").stdout
    assert "Cut to fit" not in comment


def test_a_topic_that_takes_another_profile_is_changed_at_its_own_line(repository):
    repository.edit("checkout.yaml", ("checkout.t2: {profile: event", "checkout.t2: {profile: short"))
    told = repository.told()
    (change,) = told["changes"]
    assert (change["path"], change["before"], change["after"]) == ("config.retention.ms", "7d", "1d")
    assert change["location"] == {"file": "topology/checkout.yaml", "line": 4, "column": 26}
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT805"]
    assert (finding["location"]["file"], finding["location"]["line"]) == ("topology/checkout.yaml", 4)
    assert "profile: event → short" in repository.review().stdout


def test_everything_that_another_profile_changes_is_one_row_with_each_risk(repository):
    table = "retention: 1d, key: {type: string}, config: {cleanup.policy: [compact, delete]}"
    repository.edit(
        "platform.yaml", ("  plain: {", f"  table: {{partitions: 6, replication: 3, {table}}}\n  plain: {{")
    )
    repository.commit("a table")
    repository.edit("checkout.yaml", ("checkout.t1: {profile: event", "checkout.t1: {profile: table"))
    (row,) = only_row(run("review", "topology", "--base", "HEAD", "--format", "markdown").stdout)
    assert "profile: event → table" in row
    assert "destructive: config.retention.ms: 7d → 1d" in row
    assert "destructive: config.cleanup.policy" in row
    assert "older than 1d can be deleted" in row
    assert "all but the last record of each key" in row


def test_a_value_that_is_the_same_from_another_layer_is_no_change(repository):
    repository.edit("checkout.yaml", ("checkout.t1: {", "checkout.t1: {retention: 7d, "))
    assert repository.told()["changes"] == []


def test_a_topic_that_no_longer_sets_a_value_is_changed_at_its_own_line(repository):
    repository.edit("checkout.yaml", ("checkout.t2: {", "checkout.t2: {retention: 1d, "))
    repository.commit("own value")
    repository.edit("checkout.yaml", ("checkout.t2: {retention: 1d, ", "checkout.t2: {"))

    told = json.loads(run("review", "topology", "--base", "HEAD", "--format", "json").stdout)
    (change,) = told["changes"]
    assert (change["location"]["file"], change["location"]["line"]) == ("topology/checkout.yaml", 4)


def test_a_profile_that_extends_another_one_is_changed_there(repository):
    repository.edit("checkout.yaml", ("checkout.t2: {profile: event", "checkout.t2: {profile: short"))
    repository.edit("platform.yaml", ("    retention: 1d\n", ""))
    repository.commit("a user of short")
    repository.edit("platform.yaml", ("extends: event", "extends: plain"))

    told = json.loads(run("review", "topology", "--base", "HEAD", "--format", "json").stdout)
    lines = {(change["location"]["file"], change["location"]["line"]) for change in told["changes"]}
    assert lines == {("topology/platform.yaml", 10)}


def test_what_is_gone_is_located_in_the_file_that_lost_it(repository):
    repository.edit("payments.yaml", ("  payments.t4: {profile: event, owner: payments}\n", ""))
    told = repository.told()
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT804"]
    assert finding["location"]["file"] == "topology/payments.yaml"
    assert finding["location"]["line"] in (5, 6)  # a neighbour, which is still there
    assert (finding["location"]["column"], finding["location"]["endColumn"]) == (16, 49)
    (change,) = told["changes"]
    assert change["was"] == {"file": "topology/payments.yaml", "line": 6, "column": 16}
    annotated = repository.review("--format", "github", "--fail-on", "destructive").stdout
    assert "error file=topology/payments.yaml" in annotated
    (repository.root / "topology" / "payments.yaml").unlink()
    told = repository.told()
    assert {each["location"]["file"] for each in told["findings"] if each["rule"] in ("KT804", "KT810")} == {
        "topology/payments.yaml"
    }


BLOCKS = """\
version: 1
topics:
  a:
    partitions: 6
    replication: 3
  b:
    partitions: 6
    replication: 3
  c:
    partitions: 6
    replication: 3
consumerGroups:
  g:
    topics: [a]
  h:
    topics: [a]
acls:
  - {principal: "User:x", topic: a, operations: [Read]}
  - {principal: "User:y", topic: a, operations: [Read]}
"""


@pytest.mark.parametrize(
    ("gone", "line"),
    [
        ("  b:\n    partitions: 6\n    replication: 3\n", 6),
        ("  c:\n    partitions: 6\n    replication: 3\n", 9),  # the section that follows
        ("  g:\n    topics: [a]\n", 13),
        ('  - {principal: "User:x", topic: a, operations: [Read]}\n', 18),
        ('  - {principal: "User:y", topic: a, operations: [Read]}\n', 18),  # nothing follows
    ],
)
@pytest.mark.parametrize(
    "more_files", [{}, {"other.yaml": "version: 1\ntopics: {x: {partitions: 6, replication: 3}}\n"}]
)
def test_what_is_gone_is_located_at_its_gap(tmp_path, monkeypatch, gone, line, more_files):
    made = repository_of(tmp_path / "r", {"t.yaml": BLOCKS, **more_files})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", (gone, ""))
    annotated = made.review("--format", "gitlab", "--fail-on", "needs-care").stdout
    lines = {
        (each["location"]["path"], each["location"]["lines"]["begin"])
        for each in json.loads(annotated)
        if "remove" in each["description"] or "no longer read topic a" in each["description"]
    }
    assert lines == {("topology/t.yaml", line)}


RENAMED = """\
version: 1
topics:
  shop.orders:
    owner: checkout
    partitions: 6
    replication: 3
    key: {type: uuid}
    deletion: allowed
    config: {min.insync.replicas: 2}
producers:
  web: {owner: checkout, principal: "User:web", topics: [shop.orders]}
consumerGroups:
  billing: {owner: billing, principal: "User:billing", topics: [shop.orders], start: earliest}
"""


def test_a_rename_is_one_row_with_what_follows_from_it(tmp_path, monkeypatch):
    made = repository_of(tmp_path / "r", {"t.yaml": RENAMED})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", ("shop.orders", "shop.order-events"))
    (row,) = only_row(made.review("--format", "markdown").stdout)
    assert "🔴 destructive" in row
    assert "renamed from <code>shop.orders</code>" in row
    assert "every record of shop.orders is deleted" in row
    assert "that follow from it" in row
    told = made.told()
    renamed = [change for change in told["changes"] if change["action"] == "rename"]
    assert [(change["name"], change["before"]) for change in renamed] == [("shop.order-events", "shop.orders")]
    assert {change["action"] for change in told["changes"] if change["kind"] == "topic"} == {"rename"}
    assert {change["cause"]["kind"] for change in told["changes"] if change["action"] != "rename"} == {"rename"}
    assert "1 change (1 destructive)" in made.review().stdout


def test_who_gains_more_than_the_new_name_is_no_part_of_the_rename(tmp_path, monkeypatch):
    made = repository_of(tmp_path / "r", {"t.yaml": RENAMED})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", ("shop.orders", "shop.order-events"))
    made.edit(
        "t.yaml",
        (
            "consumerGroups:",
            'acls: [{principal: "User:spy", topic: shop.order-events, operations: [Read]}]\nconsumerGroups:',
        ),
    )
    spy = [change for change in made.told()["changes"] if change["name"] == "User:spy"]
    assert [change["cause"] for change in spy] == [None]


def test_settings_of_a_client_hang_under_the_field_that_needs_them(tmp_path, monkeypatch):
    made = repository_of(tmp_path / "r", {"t.yaml": RENAMED})
    monkeypatch.chdir(made.root)
    made.edit(
        "t.yaml",
        (
            "topics: [shop.orders]}\nconsumer",
            "topics: [shop.orders], delivery: exactly-once, transactionalId: web-}\nconsumer",
        ),
    )
    rows = only_row(made.review("--format", "markdown").stdout)
    (delivery,) = [row for row in rows if "<code>delivery</code>" in row]
    assert "transactional.id" in delivery
    assert not [row for row in rows if "<code>config.transactional.id</code>" in row]


@pytest.mark.parametrize(
    ("before", "after"),
    [("start: earliest", "start: latest"), ("start: earliest", "delivery: exactly-once, start: latest")],
)
def test_where_a_group_starts_is_one_row_at_its_line(tmp_path, monkeypatch, before, after):
    made = repository_of(tmp_path / "r", {"t.yaml": RENAMED.replace(", start", ",\n    start")})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", (before, after))
    text = " ".join(made.review().stdout.split())
    assert "start: earliest → latest" in text
    assert "→ config.auto.offset.reset: earliest → latest" in text
    reset = next(each for each in made.told()["changes"] if each["path"] == "config.auto.offset.reset")
    start = next(each for each in made.told()["changes"] if each["path"] == "start")
    assert reset["location"] == start["location"]
    assert (reset["location"]["line"], reset["cause"]["name"]) == (14, "group billing start")
    annotated = made.review("--format", "github").stdout
    assert {line.partition("line=")[2].partition(",")[0] for line in annotated.splitlines() if "start" in line} == {
        "14"
    }


def test_the_same_value_in_another_unit_is_no_change(tmp_path, monkeypatch):
    made = repository_of(
        tmp_path / "r", {"t.yaml": RENAMED.replace("min.insync.replicas: 2", "retention.ms: 7d, segment.bytes: 1GiB")}
    )
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", ("retention.ms: 7d, segment.bytes: 1GiB", "retention.ms: 604800000, segment.bytes: 1024MiB"))
    assert made.told()["changes"] == []


def test_a_topic_made_by_a_template_is_changed_at_its_item(tmp_path, monkeypatch):
    template = "version: 1\ntopics:\n  t.${each.r}:\n    forEach:\n      - {r: eu, n: 6}\n      - {r: us, n: 6}\n"
    template += "    partitions: ${each.n}\n    replication: 3\n    key: {type: string}\n"
    made = repository_of(tmp_path / "made", {"t.yaml": template})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", ("us, n: 6", "us, n: 9"))
    told = made.told()
    (change,) = told["changes"]
    assert (change["location"]["line"], change["cause"]) == (6, None)
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT802"]
    assert finding["location"]["line"] == 6
    made.edit("t.yaml", ("us, n: 9", "us, n: 6"), ("replication: 3", "replication: 2"))
    assert {each["location"]["line"] for each in made.told()["changes"]} == {8}
