"""ACLs: what is accepted, what is a change, and in which order changes are applied."""

from __future__ import annotations

import asyncio

import pytest

from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.config.settings import Owned, Settings
from kafka_topology.provider.plugin.properties import UNKNOWN, Output, Secret
from kafka_topology.provider.plugin.session import Session
from kafka_topology.provider.resources.access import inputs as acls
from kafka_topology.provider.resources.access.apply import AccessApplier, AccessChange
from kafka_topology.provider.resources.access.kind import AccessKind
from kafka_topology.provider.resources.base import Old, OperationError

WRITE, READ, DESCRIBE = (Acl("User:a", "topic", "t", operation) for operation in ("Write", "Read", "Describe"))
ANY = Owned()
DENY = Acl("User:a", "topic", "t", "Read", permission="deny")


def rule(*operations, name="t", **others):
    return {"resource": "topic", "name": name, "operations": list(operations), **others}


def checked(*rules, principal="User:a", old=None, owned=ANY):
    return acls.check("User:a", old or {}, {"principal": principal, "rules": list(rules)}, owned)


def test_rules_are_kept_in_one_order_with_each_resource_once():
    one = checked(rule("Write"), rule("Read", name="s"), rule("Describe", "Write"))
    other = checked(rule("Describe", "Write"), rule("Read", name="s", host="*", permission="allow"))
    assert not one.failures
    assert one.inputs == other.inputs
    assert acls.diff(one.inputs, other.inputs) == ()
    assert acls.parse(one.inputs).acls == {WRITE, DESCRIBE, Acl("User:a", "topic", "s", "Read")}


@pytest.mark.parametrize(
    ("wrong", "path", "words"),
    [
        ({"resource": "topics"}, "rules[0].resource", "not one of cluster, topic"),
        ({"operations": ["Reed"]}, "rules[0].operations[0]", "'Reed' is not one of"),
        ({"operations": []}, "rules[0].operations", "give a list of operations"),
        ({"pattern": "any"}, "rules[0].pattern", "not one of literal, prefixed"),
        ({"permission": "maybe"}, "rules[0].permission", "not one of allow, deny"),
        ({"name": ""}, "rules[0].name", "missing"),
        ({"resource": "cluster"}, "rules[0].name", "it is 'kafka-cluster'"),
        ({"hosts": "*"}, "rules[0].hosts", "Did you mean 'host'?"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place(wrong, path, words):
    (failure,) = checked({**rule("Read"), **wrong}).failures
    assert failure.property == path
    assert words in failure.reason


def test_a_principal_has_a_type_an_owner_and_cannot_become_another():
    assert "write its type too" in checked(rule("Read"), principal="a").failures[0].reason
    assert (
        "outside the ownership (User:b)"
        in checked(rule("Read"), owned=Owned(principals=("User:b",))).failures[0].reason
    )
    (failure,) = checked(rule("Read"), old={"principal": "User:b"}).failures
    assert "cannot become that of 'User:a'" in failure.reason


def test_unknown_and_secret_values_stay_so():
    unknown = checked(rule("Read", name=UNKNOWN))
    assert not unknown.failures
    assert unknown.inputs["rules"][0]["name"] is UNKNOWN
    assert isinstance(checked(rule("Read", name=Output("t", secret=True))).inputs["rules"], Secret)
    assert checked(rule("Read", name=Output("t"))).inputs["rules"][0]["name"] == "t"


def test_each_acl_is_a_change_of_its_own():
    old = checked(rule("Read", "Write"), rule("Read", name="u")).inputs
    new = checked(rule("Describe", "Read"), rule("Read", name="v")).inputs
    assert {change.path: change.kind for change in acls.diff(old, new)} == {
        "rules[0].operations[0]": "add",
        "rules[0].operations[1]": "delete",
        "rules[1]": "update",
    }
    assert {c.path: c.kind for c in acls.diff(old, checked(rule("Read", "Write")).inputs)} == {"rules[1]": "delete"}


class FakeAdmin:
    """A cluster that remembers the order of requests, and shows a change only at the second look."""

    def __init__(self, *live):
        self.live = set(live)
        self.shown = frozenset(live)
        self.sent = []
        self.answers = {}

    def describe_acls(self):
        shown, self.shown = self.shown, frozenset(self.live)
        return shown

    def create_acls(self, acls):
        return self._change("create", acls, self.live.update)

    def delete_acls(self, acls):
        return self._change("delete", acls, self.live.difference_update)

    def _change(self, what, acls, change):
        self.sent.append((what, set(acls)))
        refused = {acl: self.answers[acl] for acl in acls if acl in self.answers}
        change(set(acls) - {a for a, f in refused.items() if f.kind is not FailureKind.UNCERTAIN})
        return {acl: refused.get(acl) for acl in acls}


def apply(admin, *changes, clock=lambda: 0.0):
    applier = AccessApplier(admin, pause=lambda _: True, clock=clock)
    return applier.apply([AccessChange("User:a", frozenset(d), frozenset(p), 10.0) for d, p in changes])


def test_access_is_added_and_seen_before_any_is_taken_away():
    admin = FakeAdmin(WRITE)
    (applied,) = apply(admin, ({READ, DENY}, {WRITE}))
    assert admin.sent == [("create", {READ, DENY}), ("delete", {WRITE})]
    assert applied.live == {READ, DENY}
    assert applied.errors == ()


def test_nothing_is_taken_away_while_something_could_not_be_added():
    admin = FakeAdmin(WRITE)
    admin.answers = {READ: Failure(FailureKind.DENIED, "not allowed")}
    (applied,) = apply(admin, ({READ, DESCRIBE}, {WRITE}))
    assert admin.sent == [("create", {READ, DESCRIBE})]
    assert applied.live == {WRITE, DESCRIBE}
    assert applied.errors == (f"{READ}: not allowed", f"{WRITE}: kept until the rest is there")


def test_only_what_was_declared_is_taken_away():
    admin = FakeAdmin(WRITE, READ, DESCRIBE)
    (applied,) = apply(admin, ({READ}, {READ, WRITE}))
    assert admin.sent == [("delete", {WRITE})]
    assert applied.live == {READ, DESCRIBE}


def test_a_lost_answer_is_resolved_by_looking():
    admin = FakeAdmin()
    admin.answers = {READ: Failure(FailureKind.UNCERTAIN, "timed out")}
    (applied,) = apply(admin, ({READ}, set()))
    assert applied.live == {READ}
    assert applied.errors == ()


def test_one_request_for_many_principals_and_no_request_without_a_change():
    admin = FakeAdmin(Acl("User:b", "topic", "t", "Read"))
    applier = AccessApplier(admin, pause=lambda _: True, clock=lambda: 0.0)
    wanted = [Acl(f"User:{n}", "topic", "t", "Read") for n in range(100)]
    outcomes = applier.apply([AccessChange(acl.principal, frozenset({acl}), frozenset(), 1.0) for acl in wanted])
    assert [outcome.live for outcome in outcomes] == [{acl} for acl in wanted]
    assert len(admin.sent) == 1
    applier.apply([AccessChange(acl.principal, frozenset({acl}), frozenset(), 1.0) for acl in wanted])
    assert len(admin.sent) == 1


def test_a_denied_read_is_an_error_and_nothing_is_sent():
    admin = FakeAdmin()
    admin.describe_acls = lambda: Failure(FailureKind.DENIED, "may not read")
    assert apply(admin, ({READ}, set())) == [Failure(FailureKind.DENIED, "may not read")]
    assert admin.sent == []


def test_a_state_whose_rules_have_no_defaults_is_understood():
    bare = {"principal": "User:a", "rules": [{"resource": "topic", "name": "t", "operations": ["Read"]}]}
    assert acls.parse(bare).acls == {READ}
    assert acls.parse({**bare, "rules": [{"resource": "cluster", "operations": ["Alter"]}]}).acls == {
        Acl("User:a", "cluster", "kafka-cluster", "Alter")
    }
    assert acls.diff(bare, checked(rule("Read")).inputs) == ()
    assert acls.parse({"principal": "User:a"}).acls == frozenset()


def test_the_provider_does_not_take_its_own_right_to_change_access():
    settings = Settings(servers="a:1", client={"sasl.username": "prov"})
    kind = AccessKind(Session(settings, connect=None))
    ours = {
        "principal": "User:prov",
        "rules": [{"resource": "cluster", "name": "kafka-cluster", "operations": ["Alter"]}],
    }
    with pytest.raises(OperationError, match="would lose: allow Alter on cluster"):
        asyncio.run(kind.preview_delete(Old("User:prov", ours, ours)))
    with pytest.raises(OperationError, match="would lose: allow Alter on cluster"):
        asyncio.run(kind.update(Old("User:prov", ours, ours), {**ours, "rules": []}, 0))
