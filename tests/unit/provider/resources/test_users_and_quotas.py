"""Users and quotas: what is accepted, what is a change, and how sets of them are applied."""

from __future__ import annotations

import pytest

from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.live.users import Credential
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.properties import UNKNOWN, Secret
from kafka_topology.provider.resources.quota import inputs as quotas
from kafka_topology.provider.resources.quota.apply import QuotaApplier, QuotaUpdate
from kafka_topology.provider.resources.quota.inputs import DeclaredQuota
from kafka_topology.provider.resources.user import inputs as users
from kafka_topology.provider.resources.user.apply import UserApplier, UserChange

USER = {"name": "shop", "mechanism": "SCRAM-SHA-512", "password": Secret("hunter2")}


def test_a_password_is_a_secret_also_when_nobody_said_so():
    checked = users.check("shop", {}, {"mechanism": "SCRAM-SHA-512", "password": "hunter2"}, None)
    assert checked.failures == ()
    assert checked.inputs == USER
    assert "hunter2" not in repr(checked) + repr(users.parse(USER)) + repr(users.parse(USER).credential())


@pytest.mark.parametrize(
    ("wrong", "path", "words"),
    [
        ({"mechanism": "PLAIN"}, "mechanism", "not one of SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"mechanism": None}, "mechanism", "'mechanism' is missing: give one of SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"mechanism": ""}, "mechanism", "'mechanism' is missing"),
        ({"iterations": 100}, "iterations", "not a whole number from 4096 to 16384"),
        ({"password": ""}, "password", "empty"),
        ({"name": "User:shop"}, "name", "write 'shop'"),
        ({"name": "other"}, "name", "outside the ownership (User:shop)"),
        ({"passwort": "x"}, "passwort", "Did you mean 'password'?"),
    ],
)
def test_a_wrong_user_is_refused(wrong, path, words):
    (failure,) = users.check("shop", {}, {**USER, **wrong}, ("User:shop",)).failures
    assert failure.property == path
    assert words in failure.reason


def test_changes_of_a_user():
    assert [c.path for c in users.diff(USER, {**USER, "password": Secret("new")})] == ["password"]
    assert [c.path for c in users.diff(USER, {**USER, "password": UNKNOWN})] == ["password"]
    imported = {"name": "shop", "mechanism": "SCRAM-SHA-512", "iterations": 4096}
    assert users.diff(imported, USER) == ()
    assert "cannot be renamed" in users.check("x", USER, {**USER, "name": "new"}, None).failures[0].reason


class FakeUsers:
    def __init__(self, **live):
        self.live = live
        self.sent = []
        self.refusal = None

    def describe_users(self, names):
        return {name: dict(self.live.get(name, {})) for name in names}

    def set_credentials(self, credentials):
        assert len({c.user for c in credentials}) == len(credentials)
        self.sent.append({c.user: c.mechanism for c in credentials})
        if self.refusal is None:
            for c in credentials:
                self.live.setdefault(c.user, {})[c.mechanism] = c.iterations
        return {c.user: self.refusal for c in credentials}

    def delete_credentials(self, mechanisms):
        self.sent.append({name: f"-{m}" for name, m in mechanisms.items()})
        for name, mechanism in mechanisms.items():
            self.live.get(name, {}).pop(mechanism, None)
        return dict.fromkeys(mechanisms)


def credential(user="shop", mechanism="SCRAM-SHA-512", iterations=8192):
    return Credential(user, mechanism, iterations, "hunter2")


def user_applier(admin, clock=lambda: 0.0):
    return UserApplier(admin, pause=lambda _: True, clock=clock)


def test_a_new_mechanism_is_set_before_the_old_one_goes():
    admin = FakeUsers(shop={"SCRAM-SHA-256": 4096})
    change = UserChange("shop", 1.0, credential(), removed="SCRAM-SHA-256")
    assert user_applier(admin).apply([change]) == [{"SCRAM-SHA-512": 8192}]
    assert admin.sent == [{"shop": "SCRAM-SHA-512"}, {"shop": "-SCRAM-SHA-256"}]


def test_the_old_mechanism_stays_when_the_new_one_is_refused():
    admin = FakeUsers(shop={"SCRAM-SHA-256": 4096})
    admin.refusal = Failure(FailureKind.REJECTED, "no")
    change = UserChange("shop", 1.0, credential(), removed="SCRAM-SHA-256")
    assert user_applier(admin).apply([change]) == [admin.refusal]
    assert admin.live == {"shop": {"SCRAM-SHA-256": 4096}}


def test_two_mechanisms_of_one_user_go_in_two_requests():
    admin = FakeUsers()
    changes = [
        UserChange("shop", 1.0, credential(), is_new=True),
        UserChange("shop", 1.0, credential(mechanism="SCRAM-SHA-256"), is_new=True),
        UserChange("other", 1.0, credential("other"), is_new=True),
    ]
    assert len(user_applier(admin).apply(changes)) == 3
    assert [sorted(sent) for sent in admin.sent] == [["other", "shop"], ["shop"]]


def test_a_user_that_looks_different_is_not_overwritten():
    admin = FakeUsers(shop={"SCRAM-SHA-512": 4096})
    (failure,) = user_applier(admin).apply([UserChange("shop", 1.0, credential(), is_new=True)])
    assert failure.kind is FailureKind.EXISTS
    assert "declared 8192, live 4096" in failure.message
    assert admin.sent == []


def quota(**inputs):
    return quotas.check({}, inputs, ("User:shop",))


@pytest.mark.parametrize(
    ("inputs", "path", "words"),
    [
        ({"producerByteRate": 1}, "user", "neither is set"),
        ({"user": "shop"}, "producerByteRate", "give at least one limit"),
        ({"user": "shop", "producerByteRate": 0}, "producerByteRate", "not a number above 0"),
        ({"user": "shop", "producerByteRate": 1.5}, "producerByteRate", "whole number of bytes"),
        ({"user": "other", "producerByteRate": 1}, "user", "outside the ownership"),
        ({"user": "default", "producerByteRate": 1}, "user", "limits users outside the ownership"),
        ({"clientId": "web", "producerByteRate": 1}, "user", "limits users outside the ownership"),
        (
            {"user": "shop", "producerRate": 1, "producerByteRate": 1},
            "producerRate",
            "Did you mean 'producerByteRate'?",
        ),
    ],
)
def test_a_wrong_quota_is_refused(inputs, path, words):
    (failure,) = quota(**inputs).failures
    assert failure.property == path
    assert words in failure.reason


def test_a_quota_does_not_move_to_another_user():
    (failure,) = quotas.check({"user": "a", "producerByteRate": 1}, {"user": "b", "producerByteRate": 1}, None).failures
    assert "cannot move from a to b" in failure.reason


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("user=shop", Entity("shop")),
        ("client-id=web", Entity(None, "web")),
        ("user=shop,client-id=web", Entity("shop", "web")),
        ("user=default,client-id=a,b=c", Entity("default", "a,b=c")),
    ],
)
def test_the_id_of_a_quota_names_whom_it_limits(text, entity):
    assert quotas.parse_id(text) == entity
    assert entity.id == text


@pytest.mark.parametrize("text", ["", "shop", "user=", "group=x"])
def test_other_text_is_no_id(text):
    assert quotas.parse_id(text) is None


class FakeQuotas:
    """Shows a change only at the second look."""

    def __init__(self, live=None):
        self.live = live or {}
        self.shown = self.live
        self.sent = []

    def describe_quotas(self):
        shown, self.shown = self.shown, {e: dict(v) for e, v in self.live.items()}
        return shown

    def alter_quotas(self, changes):
        self.sent.append(changes)
        for entity, change in changes.items():
            kept = {k: v for k, v in self.live.get(entity, {}).items() if k not in change.removed}
            self.live = {**self.live, entity: {**kept, **change.set}}
        return dict.fromkeys(changes)


def test_quotas_are_changed_in_one_request_and_only_what_differs():
    shop, web = Entity("shop"), Entity(None, "web")
    admin = FakeQuotas({shop: {"producer_byte_rate": 1.0, "request_percentage": 5.0}})
    updates = [
        QuotaUpdate(DeclaredQuota(shop, {"producer_byte_rate": 2.0}), {"producer_byte_rate": 1.0}, 9.0),
        QuotaUpdate(DeclaredQuota(web, {"consumer_byte_rate": 3.0}), None, 9.0),
    ]
    applier = QuotaApplier(admin, pause=lambda _: True, clock=lambda: 0.0)
    assert applier.apply(updates) == [
        {"producer_byte_rate": 2.0, "request_percentage": 5.0},
        {"consumer_byte_rate": 3.0},
    ]
    assert len(admin.sent) == 1
    assert admin.sent[0][shop].set == {"producer_byte_rate": 2.0}


def test_a_different_existing_quota_stops_its_creation():
    shop = Entity("shop")
    admin = FakeQuotas({shop: {"producer_byte_rate": 1.0}})
    update = QuotaUpdate(DeclaredQuota(shop, {"producer_byte_rate": 2.0}), None, 9.0)
    (failure,) = QuotaApplier(admin, pause=lambda _: True, clock=lambda: 0.0).apply([update])
    assert failure.kind is FailureKind.EXISTS
    assert "producerByteRate: declared 2, live 1" in failure.message
    assert admin.sent == []
