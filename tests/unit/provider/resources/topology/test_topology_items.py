"""The items of a `Topology`: their digest, their order, and what is refused before anything is changed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.program.declaring import declared_at
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.plugin.properties import UNKNOWN, Secret, reveal
from kafka_topology.provider.plugin.views import Op, View
from kafka_topology.provider.resources.base import OperationError, State
from kafka_topology.provider.resources.changes import ChangeKind, Checked, PropertyChange
from kafka_topology.provider.resources.descriptor import installed_kinds, token_of
from kafka_topology.provider.resources.topology.apply import Items, Results, lines_of, raise_all
from kafka_topology.provider.resources.topology.inputs import TopologyFiles, diff
from kafka_topology.provider.resources.topology.items import Item, digest_of, item_urn, stack_of

OWNER = "urn:pulumi:dev::shop::kafka-topology:index:Topology::all::of::it"
TOPIC, GROUP, USER = (token_of(kind) for kind in ("Topic", "ConsumerGroup", "User"))
FILE = """
version: 1
ownership: {topics: [shop.]}
topics:
  shop.orders: {partitions: 2, replication: 3, config: {min.insync.replicas: 2}}
users:
  shop-checkout: {mechanism: SCRAM-SHA-512, password: {secret: checkout-password}}
"""


OURS = Owned(topics=("shop.",))


class Recorder:
    """A lifecycle that notes its calls; names with `bad` fail."""

    def __init__(self, calls):
        self.calls = calls
        self.kind = self

    def named(self, inputs):
        return f"item '{inputs.get('name')}'"

    def check(self, _urn, _name, _old, new):
        return Checked(new)

    def diff(self, old, new):
        return (PropertyChange("name", ChangeKind.UPDATE),) if old.inputs != new else ()

    async def create(self, _urn, new, _timeout, *, preview):
        return self._done("preview" if preview else "create", new)

    async def update(self, _old, new, _timeout, *, preview):
        return self._done("preview" if preview else "update", new)

    async def delete(self, old, _timeout):
        self._done("delete", old.inputs)
        return "stays" if "kept" in old.inputs["name"] else None

    async def preview_delete(self, old):
        if "protected" in old.inputs["name"]:
            raise OperationError(Failure(FailureKind.REFUSED, f"{old.inputs['name']} is protected"))

    def _done(self, what, inputs):
        self.calls.append((what, inputs["name"]))
        if "bad" in inputs["name"]:
            raise OperationError(Failure(FailureKind.REJECTED, f"{inputs['name']} failed"))
        return State(inputs["name"], inputs, inputs)


@pytest.fixture
def calls():
    return []


def items(calls, *in_state):
    old = {key: View({"name": key[1]}, {"name": key[1], "id": key[1]}) for key in in_state}
    return Items(OWNER, {kind.token: Recorder(calls) for kind in installed_kinds().values()}, old)


def item(token, name, *after, **inputs):
    return Item((token, name), {"name": name, **inputs}, after)


def applied(items, declared, *, preview=False):
    changes, failures = items.changes(declared)
    assert failures == []
    return asyncio.run(items.apply(changes, 0, preview=preview))


def files(tmp_path, text=FILE, *, owned=OURS, has_views=True):
    (tmp_path / "topology.yaml").write_text(text)

    def declare(path, environment, stack):
        return declared_at(tmp_path / path, environment, stack, Path(tmp_path))

    return TopologyFiles(declare, items([]).lifecycles, owned, has_views)


def reasons(checked):
    return [failure.reason for failure in checked.failures]


GIVEN = {"path": "topology.yaml", "secrets": {"checkout-password": "hunter2"}}


def test_the_digest_depends_on_the_items_alone():
    first, second = item(TOPIC, "a", partitions=1), item(TOPIC, "b", partitions=1)
    assert digest_of([first, second]) == digest_of([second, first])
    assert digest_of([first]) != digest_of([item(TOPIC, "a", partitions=2)])
    assert digest_of([first]) != digest_of([item(GROUP, "a", partitions=1)])


def test_the_digest_does_not_hold_a_password():
    def user(password):
        return Item((USER, "u"), {"name": "u", "password": Secret(password)}, (), {"password": "key"})

    assert digest_of([user("one")]) == digest_of([user("two")])


def test_a_view_has_the_urn_that_the_engine_gives_it():
    assert item_urn(OWNER, (TOPIC, "shop::orders")) == (
        "urn:pulumi:dev::shop::kafka-topology:index:Topology$kafka-topology:index:Topic::shop::orders"
    )
    assert stack_of(OWNER) == "dev"


def test_an_edit_is_a_diff_and_a_comment_is_none(tmp_path):
    first = files(tmp_path).check(OWNER, GIVEN)
    assert first.failures == ()
    assert diff(first.inputs, files(tmp_path, f"# a comment\n{FILE}").check(OWNER, GIVEN).inputs) == ()
    edited = files(tmp_path, FILE.replace("partitions: 2", "partitions: 3")).check(OWNER, GIVEN)
    assert [change.path for change in diff(first.inputs, edited.inputs)] == ["digest"]
    other = files(tmp_path).check(OWNER, {**GIVEN, "secrets": {"checkout-password": "hunter3"}})
    assert [change.path for change in diff(first.inputs, other.inputs)] == ["secrets"]


def test_the_secrets_are_marked_and_given_to_their_items(tmp_path):
    topologies = files(tmp_path)
    checked = topologies.check(OWNER, GIVEN)
    assert isinstance(checked.inputs["secrets"], Secret)
    [user] = [each for each in topologies.items(OWNER, checked.inputs) if each.key[0] == USER]
    assert isinstance(user.inputs["password"], Secret)
    assert reveal(user.inputs["password"]) == "hunter2"


def test_a_missing_secret_is_refused_by_its_name(tmp_path):
    [reason] = reasons(files(tmp_path).check(OWNER, {"path": "topology.yaml"}))
    assert "takes its password from the secret 'checkout-password', which is not given" in reason


def test_another_ownership_than_the_providers_is_refused(tmp_path):
    [reason] = reasons(files(tmp_path, owned=Owned()).check(OWNER, GIVEN))
    assert "the provider has another one" in reason
    assert '{"topics": ["shop."]}' in reason


def test_an_engine_without_views_is_refused(tmp_path):
    [reason] = reasons(files(tmp_path, has_views=False).check(OWNER, GIVEN))
    assert "kafka-topology:resources each" in reason


def test_an_error_of_a_rule_names_file_and_line(tmp_path):
    found = reasons(
        files(tmp_path, FILE.replace("min.insync.replicas: 2", "min.insync.replicas: 3")).check(OWNER, GIVEN)
    )
    assert any(reason.startswith("topology.yaml:5:") and "KT101" in reason for reason in found)


def test_a_computed_input_cannot_be_given_and_an_unknown_path_waits(tmp_path):
    [reason] = reasons(files(tmp_path).check(OWNER, {**GIVEN, "digest": "mine"}))
    assert "no property 'digest'" in reason
    assert files(tmp_path).check(OWNER, {"path": UNKNOWN}).inputs["digest"] is UNKNOWN


def test_files_that_change_during_a_run_are_not_applied(tmp_path):
    checked = files(tmp_path).check(OWNER, GIVEN)
    later = files(tmp_path, FILE.replace("partitions: 2", "partitions: 3"))
    assert later.items(OWNER, checked.inputs) is None


def test_items_are_applied_in_the_order_of_their_kinds(calls):
    results = applied(items(calls), [item(GROUP, "g", "t"), item(TOPIC, "t")])
    assert calls == [("create", "t"), ("create", "g")]
    assert [step.op for step in results.steps] == [Op.CREATE, Op.CREATE]


def test_an_unchanged_item_is_not_applied(calls):
    results = applied(items(calls, (TOPIC, "t")), [item(TOPIC, "t"), item(TOPIC, "new")])
    assert calls == [("create", "new")]
    assert {step.key[1]: step.op for step in results.steps} == {"t": Op.SAME, "new": Op.CREATE}


def test_each_item_has_its_own_outcome_and_dependents_wait(calls):
    declared = [item(TOPIC, "bad"), item(TOPIC, "good"), item(GROUP, "g", "bad"), item(GROUP, "h", "good")]
    results = applied(items(calls), declared)
    assert ("create", "g") not in calls
    assert ("create", "h") in calls
    assert {step.key[1]: step.error for step in results.steps} == {"bad": "bad failed", "good": "", "h": ""}
    assert lines_of(results.failures) == ("bad failed", "item 'g' waits for topic 'bad', which failed.")
    assert results.done == 2


def test_deletions_go_in_reverse_and_a_failure_stops_the_rest(calls):
    held = items(calls, (TOPIC, "t"), (GROUP, "bad"))
    results = Results()
    asyncio.run(held.delete(held.removed([]), 0, results))
    assert calls == [("delete", "bad")]
    assert [step.error for step in results.steps] == ["bad failed"]


def test_what_stays_on_the_cluster_leaves_the_state_with_a_note(calls):
    held = items(calls, (TOPIC, "kept"))
    results = Results()
    asyncio.run(held.delete(held.removed([]), 0, results))
    assert results.warnings == ["stays"]
    assert [step.op for step in results.steps] == [Op.DELETE]


def test_every_refused_deletion_is_reported_before_anything_changes(calls):
    held = items(calls, (TOPIC, "protected-1"), (TOPIC, "protected-2"), (TOPIC, "free"))
    failures = asyncio.run(held.refused_deletions(held.removed([])))
    with pytest.raises(OperationError) as refused:
        raise_all(failures)
    assert refused.value.failure.kind is FailureKind.REFUSED
    assert refused.value.failure.message.splitlines() == ["protected-1 is protected", "protected-2 is protected"]
    assert calls == []


def test_a_long_list_of_failures_is_cut():
    lines = lines_of([Failure(FailureKind.REFUSED, str(number)) for number in range(1025)])
    assert len(lines) == 21
    assert lines[-1] == "and 1,005 more"
