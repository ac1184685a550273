"""24 typical pull requests on a repository of 25 topics, 3 teams and 2 environments: what a review says of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from gitted import Repository, repository_of

PLATFORM = """\
version: 1
cluster:
  kafka: "4.1"
  brokers: 6
  racks: [a, b, c]
  controllers: 3
  defaults: {auto.create.topics.enable: false}
ownership: {topics: [shop.], groups: [shop.], principals: ["User:shop-"]}
profiles:
  event:
    replication: 3
    retention: 7d
    config: {min.insync.replicas: 2}
    throughput: {average: 1MB/s, peak: 2MB/s, recordSize: 1KB}
environments:
  staging:
    profiles: {event: {retention: 2d}}
  prod: {}
acls:
  - {principal: "User:shop-monitoring", topic: shop.checkout.t1, operations: [Describe]}
quotas:
  - {user: shop-checkout, producerByteRate: 5MB/s}
users:
  shop-checkout: {mechanism: SCRAM-SHA-512, password: {secret: checkout}}
"""
TEAM = """\
version: 1
topics:
{topics}producers:
  {team}-app:
    owner: {team}
    principal: User:shop-{team}
    topics: [shop.{team}.t1]
    delivery: at-least-once
    partitioner: murmur2
consumerGroups:
  shop.{team}.readers:
    owner: {team}
    principal: User:shop-{team}
    topics: [shop.{reads}.t1]
    members: 3
    start: earliest
    delivery: at-least-once
    maxOutage: 1d
    config: {{enable.auto.commit: false}}
"""
TOPIC = (
    "  shop.{team}.t{n}: {{profile: event, owner: {team}, visibility: {shown}, partitions: 6,"
    " key: {{type: uuid, partitioner: murmur2}}{value}}}\n"
)
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"id": {"type": "string"}, "note": {"type": "string"}},
    "required": ["id"],
}
READS = {"checkout": "payments", "logistics": "checkout", "payments": "checkout"}
COUNTS = {"checkout": 9, "logistics": 8, "payments": 8}


def team_file(team: str) -> str:
    value = ", value: {format: json, schema: schemas/order.schema.json}"
    topics = "".join(
        TOPIC.format(team=team, n=n, shown="public" if n == 1 else "private", value=value if n == 1 else "")
        for n in range(1, COUNTS[team] + 1)
    )
    return TEAM.format(team=team, topics=topics, reads=READS[team])


def made(root: Path) -> Repository:
    files = {f"{team}.yaml": team_file(team) for team in READS}
    schema = json.dumps(SCHEMA, indent=2) + "\n"
    return repository_of(root, {"platform.yaml": PLATFORM, "schemas/order.schema.json": schema, **files})


@dataclass(frozen=True)
class Case:
    """Edits are file, old text and new text. `says` are the essential lines, and `first` is what fails, or nothing.

    `first` is None where the number of advice is not the point.
    """

    name: str
    edits: tuple[tuple[str, str, str], ...] = ()
    exit_code: int = 0
    first: str | None = ""
    says: tuple[str, ...] = ()
    options: tuple[str, ...] = ("--env", "staging", "--env", "prod", "--fail-on", "error,breaking")
    files: dict[str, str] = field(default_factory=dict)


T1 = "shop.checkout.t1: {profile: event, owner: checkout, visibility: public, partitions: 6,"
T9 = TOPIC.format(team="checkout", n=9, shown="private", value="")
PAYMENTS_GROUP = TEAM[TEAM.index("consumerGroups:") :].format(team="payments", reads="checkout")
ORDER = "schemas/order.schema.json"
RENAMED = tuple(
    (name, "shop.checkout.t1", "shop.checkout.orders")
    for name in ("platform.yaml", "checkout.yaml", "logistics.yaml", "payments.yaml")
)
T2 = "t2: {profile: event, owner: checkout, visibility: "
WRITES = "    delivery: at-least-once\n    partitioner"
IN_TRANSACTIONS = "    delivery: exactly-once\n    transactionalId: shop-payments\n    partitioner"
SEARCH = TEAM.format(team="search", reads="checkout", topics=TOPIC.format(team="search", n=1, shown="public", value=""))
ALL_READERS = (
    "to approve: checkout: shop.checkout.t1; logistics: reads shop.checkout.t1; payments: reads shop.checkout.t1"
)
CASES = (
    Case(
        "a new topic",
        (("checkout.yaml", T9, T9 + T9.replace("t9", "t10")),),
        0,
        "✅ 1 advice",
        ("safe new", "in prod: shop.checkout.t10 will use about 1.8 TB of disk", "disk 7.6 TB → 7.9 TB"),
    ),
    Case(
        "a new team",
        (),
        0,
        "✅ 1 change needs care, 3 warnings, 1 advice",
        ("needs care User:shop-search may now read topic shop.checkout.t1", "to approve: checkout: User:shop-search"),
        files={"search.yaml": SEARCH},
    ),
    Case(
        "a topic removed",
        (("checkout.yaml", T9, ""),),
        1,
        "❌ 1 error, 1 destructive change",
        (
            "destructive removed [KT804]",
            "in prod: every record of shop.checkout.t9 is deleted, about 604.8 GB",
            "topology/checkout.yaml:11:1: error KT804",
            '- change: "topic shop.checkout.t9 removed"',
        ),
    ),
    Case(
        "a topic renamed",
        RENAMED,
        1,
        "❌ 2 errors, 1 destructive change",
        (
            "destructive renamed from shop.checkout.t1 [KT804, KT812]",
            "shop.logistics.readers and shop.payments.readers can no longer read it",
        ),
    ),
    Case(
        "partitions raised on a keyed topic",
        (("checkout.yaml", T1, T1.replace("6,", "12,")),),
        1,
        "❌ 1 error, 1 breaking change",
        ("breaking partitions: 6 → 12 [KT802]", "50% of the keys (1/2) of shop.checkout.t1 move", ALL_READERS),
    ),
    Case(
        "partitions lowered",
        (("checkout.yaml", T1, T1.replace("6,", "3,")),),
        1,
        "❌ 1 error, 1 destructive change; also 1 advice",
        ("destructive partitions: 6 → 3 [KT801]",),
    ),
    Case(
        "replication raised",
        (("checkout.yaml", T1, T1 + " replication: 4,"),),
        0,
        "✅ 1 change needs care, 1 warning",
        (
            "needs care replication: 3 → 4 [KT803]",
            "in prod: about 604.8 GB",
            "of shop.checkout.t1 to copy between brokers",
        ),
    ),
    Case(
        "replication lowered to one",
        (("checkout.yaml", T1, T1 + " replication: 1,"),),
        1,
        "❌ 2 errors; also 1 change needs care, 1 warning",
        (
            "needs care replication: 3 → 1 [KT803]",
            "Before: Losing any one broker: every topic can still be read and written.",
            "After: Losing any one broker stops writes to shop.checkout.t1.",
        ),
    ),
    Case(
        "retention lowered in a profile",
        (("platform.yaml", "    retention: 7d\n", "    retention: 1d\n"),),
        1,
        "❌ 1 destructive change; also 2 warnings",
        (
            "profile event (topology/platform.yaml:12)",
            "destructive config.retention.ms: 7d → 1d on 25 topics of 3 teams [KT805, in prod]",
            "about 13.0 TB can be deleted within minutes",
            "in prod: each broker, by the declared peaks: disk 7.6 TB → 1.1 TB",
        ),
    ),
    Case(
        "retention of one environment",
        (("platform.yaml", "{retention: 2d}", "{retention: 1d}"),),
        1,
        "❌ 1 destructive change; also 2 warnings",
        (
            "environment staging (topology/platform.yaml:17)",
            "destructive config.retention.ms: 2d → 1d on 25 topics of 3 teams [KT805, in staging]",
        ),
    ),
    Case(
        "retention raised on one topic",
        (("checkout.yaml", T1, T1 + " retention: 30d,"),),
        0,
        "✅ no risk",
        ("safe config.retention.ms: 7d → 30d [in prod]", "shop.checkout.t1 will use 6.0 TB more disk"),
    ),
    Case(
        "compaction turned on",
        (("checkout.yaml", T1, T1 + " config: {cleanup.policy: compact},"),),
        1,
        "❌ 1 error, 1 destructive change; also 2 warnings",
        (
            "destructive config.cleanup.policy: delete → compact [KT806]",
            "all but the last record of each key",
            ALL_READERS,
        ),
    ),
    Case(
        "min.insync.replicas as high as the replicas",
        (("platform.yaml", "min.insync.replicas: 2", "min.insync.replicas: 3"),),
        1,
        "❌ 1 error, 1 breaking change; also 1 warning",
        (
            "breaking config.min.insync.replicas: 2 → 3 on 25 topics of 3 teams [KT811]",
            "can no longer write as soon as one replica is down",
            "After: Losing any one broker stops writes to shop.checkout.t1",
        ),
    ),
    Case(
        "acks lowered",
        (("checkout.yaml", "    partitioner: murmur2\n", "    partitioner: murmur2\n    config: {acks: 1}\n"),),
        1,
        "❌ 1 error, 1 breaking change",
        ("breaking config.acks: not set → 1", "topology/checkout.yaml:19:20: error KT401"),
    ),
    Case(
        "exactly once",
        (("payments.yaml", WRITES, IN_TRANSACTIONS),),
        1,
        "❌ 1 error; also 3 changes need care",
        (
            "needs care delivery: at-least-once → exactly-once",
            "→ config.transactional.id: not set → shop-payments",
            "consumer shop.checkout.readers must set isolation.level=read_committed",
            "to approve: checkout: shop.checkout.readers; payments: payments-app",
        ),
    ),
    Case(
        "a value that does not exist",
        (("checkout.yaml", "    partitioner: murmur2\n", "    partitioner: consistent_random\n"),),
        2,
        "❌ the new version cannot be read as a topology",
        ("fix: did you mean `librdkafka-consistent-random`?", "so nothing was compared"),
    ),
    Case(
        "a group removed",
        (("payments.yaml", PAYMENTS_GROUP, ""),),
        1,
        "❌ 1 destructive change, 1 breaking change; also 1 change needs care, 2 warnings",
        (
            "destructive removed [KT810]",
            "the offsets of group shop.payments.readers are deleted; if it returns, it starts over",
            "breaking User:shop-payments may no longer read topic shop.checkout.t1 [KT809]",
        ),
    ),
    Case(
        "a group reads from the end",
        (("payments.yaml", "start: earliest", "start: latest"),),
        0,
        "✅ 1 change needs care",
        ("needs care start: earliest → latest", "to approve: payments: shop.payments.readers"),
    ),
    Case(
        "a private topic made public",
        (("checkout.yaml", f"{T2}private", f"{T2}public"),),
        0,
        "✅ 1 change needs care, 2 warnings, 1 advice",
        ("needs care visibility: private → public [KT813]", "to approve: checkout: shop.checkout.t2"),
    ),
    Case(
        "an ACL prefix widened",
        (
            (
                "platform.yaml",
                "topic: shop.checkout.t1, operations: [Describe]",
                "topic: shop., pattern: prefixed, operations: [Read]",
            ),
        ),
        1,
        None,
        (
            "needs care User:shop-monitoring may now read every topic that starts with shop.",
            "topics in reach: 1 topic of 1 team → 25 topics of 3 teams",
            "new to it: 22 private topics of others",
            "to approve: checkout: 9 topics in reach; logistics: 8 topics in reach; payments: 8 topics in reach",
        ),
    ),
    Case(
        "a quota lowered",
        (("platform.yaml", "5MB/s", "1MB/s"),),
        0,
        "✅ 1 change needs care",
        ("needs care producerByteRate: 5MB/s → 1MB/s",),
    ),
    Case(
        "a required field that becomes optional",
        ((ORDER, '"required": [\n    "id"\n  ]', '"required": []'),),
        0,
        "✅ 3 changes need care",
        ("readers with the old schema: id may now be missing, but readers require it",),
    ),
    Case(
        "an owner changed",
        (("checkout.yaml", T1, T1.replace("owner: checkout", "owner: payments")),),
        0,
        "✅ 1 change needs care",
        ("needs care owner: checkout → payments", "checkout: shop.checkout.t1, its owner so far"),
    ),
    Case(
        "another way to write it",
        (("platform.yaml", "    retention: 7d\n", "    retention: 168h\n"),),
        0,
        "✅ no risk",
    ),
)


def test_there_are_24_of_25_topics_of_3_teams():
    assert (len(CASES), sum(COUNTS.values()), len(COUNTS)) == (24, 25, 3)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_the_review_says(case, tmp_path, monkeypatch):
    repository = made(tmp_path / "repository")
    monkeypatch.chdir(repository.root)
    for name, old, new in case.edits:
        repository.edit(name, (old, new))
    repository.write(case.files)
    done = repository.review("--format", "text", *case.options)
    said = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert done.exit_code == case.exit_code, done.stdout
    assert case.first in (None, said[0]), done.stdout
    for line in case.says:
        assert any(line in each for each in said), f"{line!r} is missing in\n{done.stdout}"
