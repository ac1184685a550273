"""Drift by a preview: what Pulumi would change and the files do not, and the other way round."""

from __future__ import annotations

import json

import pytest

from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.review.changes import Change, Risk
from kafka_topology.review.preview import BadPreview, drift, read_preview

KINDS = {kind.token: kind.reviewed for kind in installed_kinds().values()}
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "hunter2"}


def step(op: str, name: str, old: dict | None = None, new: dict | None = None, kind: str = "Topic") -> dict:
    def state(inputs: dict | None) -> dict | None:
        if inputs is None:
            return None
        named = {} if kind in ("Access", "Quota") else {"name": name}
        return {"type": f"kafka-topology:index:{kind}", "inputs": {**named, **inputs}}

    return {"op": op, "urn": f"urn:pulumi:dev::p::x::{name}", "oldState": state(old), "newState": state(new)}


def preview(*steps: dict, **more: object):
    return read_preview(json.dumps({"steps": list(steps), **more}), KINDS)


def changed(path: str, name: str = "a", action: str = "change") -> Change:
    return Change(kind="topic", name=name, action=action, risk=Risk.SAFE, reason="r", path=path, before="1", after="2")


def test_what_both_say_is_no_drift():
    both = preview(step("update", "a", {"partitions": 1}, {"partitions": 2}))
    assert drift([changed("partitions")], both) == ()


def test_what_only_pulumi_would_do():
    found = drift(
        [], preview(step("update", "a", {"config": {"retention.ms": "1000"}}, {"config": {"retention.ms": "2000"}}))
    )
    assert [(each.only, each.name) for each in found] == [("pulumi", "a")]
    assert found[0].text.startswith("config.retention.ms: 1s → 2s: this change does not contain it")
    (made,) = drift([], preview(step("create", "b", None, {"partitions": 1})))
    assert "Pulumi would create it" in made.text
    (gone,) = drift([], preview(step("delete", "b", {"partitions": 1}, None)))
    assert "Pulumi would delete it" in gone.text


def test_what_only_the_files_say():
    found = drift([changed("partitions"), changed("", "new", "add")], preview())
    assert [(each.only, each.name) for each in found] == [("files", "a"), ("files", "new")]


@pytest.mark.parametrize(
    ("kind", "name", "inputs", "change"),
    [
        ("Access", "User:w", {"principal": "User:w"}, ("access", "User:w", "topic a")),
        ("ConsumerGroup", "g", {}, ("group", "g", "")),
        ("User", "w", {}, ("user", "w", "mechanism")),
        ("Quota", "any", {"user": "w", "clientId": "c"}, ("quota", "user w and client c", "producerByteRate")),
    ],
)
def test_other_resources_are_compared_as_one(kind, name, inputs, change):
    planned = preview(step("create", name, None, inputs, kind))
    of, called, path = change
    said = Change(kind=of, name=called, action="change", risk=Risk.SAFE, reason="r", path=path)
    assert drift([said], planned) == ()
    assert [each.only for each in drift([], planned)] == ["pulumi"]
    assert [each.only for each in drift([said], preview())] == ["files"]


def test_what_no_stack_applies_is_no_drift():
    assert drift([changed("description"), changed("owner"), changed("throughput.peak")], preview()) == ()


def test_a_failed_preview_does_not_say_that_pulumi_would_do_nothing():
    failed = preview(diagnostics=[{"severity": "error", "message": "no\nbroker"}, {"severity": "info", "message": "x"}])
    assert failed.errors == ("no broker",)
    assert drift([changed("partitions")], failed) == ()


def test_secrets_are_not_shown():
    found = drift([], preview(step("update", "u", {"password": "old"}, {"password": SECRET}, "User")))
    assert "hunter2" not in str(found)
    assert "[secret]" in found[0].text
    assert "old" not in found[0].text


def test_other_packages_are_none_of_our_business():
    foreign = {"op": "create", "urn": "u", "newState": {"type": "aws:s3:Bucket", "inputs": {"name": "x"}}}
    assert preview(foreign).steps == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is not JSON: "),
        ("not json", "it is not JSON: "),
        ("[]", "it has neither steps nor diagnostics"),
        ("{}", "it has neither steps nor diagnostics"),
        ("3", "it has neither steps nor diagnostics"),
        ('{"steps": 3}', "its steps are not those of `pulumi preview --json`"),
        ('{"steps": [1]}', "its steps are not those of `pulumi preview --json`"),
    ],
)
def test_what_is_no_preview_is_refused(text, reason):
    with pytest.raises(BadPreview, match=f"^{reason}"):
        read_preview(text, KINDS)
