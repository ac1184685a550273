"""A grace period: what passes by itself is not reported, what stays is, and nothing is called gone that nobody saw."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kafka_topology.audit.lasting.following import Following
from kafka_topology.audit.lasting.grace import Clock, audit_patiently, graces_of
from kafka_topology.audit.registry import checks
from kafka_topology.audit.rules import audit_rules
from kafka_topology.audit.run import Audited
from kafka_topology.topology import Finding, Location, Severity, load
from kafka_topology.validators import Outcome

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HERE = Location("t.yaml", 1, 1, 1, 2)
MINUTE = timedelta(minutes=1)
GRACES = {"KTA204": 10 * MINUTE, "KTA304": 10 * MINUTE}


def finding(rule="KTA204", resource="orders", **evidence):
    return Finding(rule, Severity.WARNING, f"{resource}: {evidence}", HERE, resource, kind="topic", evidence=evidence)


def look(*findings, may_pass=False):
    return Audited(Outcome(findings, (), (), frozenset()), ("no answer",) if may_pass else (), may_pass=may_pass)


class Time:
    def __init__(self):
        self.at = START
        self.told = []

    def wait(self, pause):
        self.at += pause

    def audit(self, looks, graces=GRACES):
        """`looks` are the looks from these minutes on."""
        made = []

        def next_look():
            made.append(self.at)
            minute = (self.at - START) / MINUTE
            return next(found for since, found in reversed(looks.items()) if since <= minute)

        audited = audit_patiently(next_look, graces, Clock(lambda: self.at, self.wait), self.told.append)
        return audited, made


@pytest.fixture
def time():
    return Time()


def rules(audited):
    return [each.id for each in audited.outcome.findings]


def test_findings_that_do_not_pass_are_reported_at_once(time):
    audited, made = time.audit({0: look(finding("KTA104"))})
    assert (rules(audited), len(made), time.told) == (["KTA104"], 1, [])


def test_what_goes_away_is_not_reported_and_ends_the_wait(time):
    audited, made = time.audit({0: look(finding(), finding("KTA104")), 2: look(finding("KTA104"))})
    assert (rules(audited), audited.waiting) == (["KTA104"], ())
    assert made[-1] == START + 2 * MINUTE


def test_what_stays_is_reported_with_the_time_it_was_first_seen(time):
    audited, made = time.audit({0: look(finding(actual=1)), 5: look(finding(actual=2))})
    [found] = audited.outcome.findings
    assert (found.evidence["since"], found.evidence["actual"]) == ("2026-03-01T12:00:00Z", 2)
    assert made[-1] == START + 10 * MINUTE
    assert time.told[0].until == START + 10 * MINUTE


def test_what_comes_back_starts_again_and_is_named_as_waiting(time):
    audited, made = time.audit({0: look(finding(), finding("KTA304")), 4: look(finding()), 5: look(finding("KTA304"))})
    assert rules(audited) == []
    assert [each.id for each in audited.waiting] == ["KTA304"]
    assert audited.waiting[0].evidence["since"] == "2026-03-01T12:05:00Z"
    assert made[-1] == START + 10 * MINUTE


def test_another_broker_is_another_finding_but_another_number_is_not(time):
    moving = {minute: look(finding(broker=minute % 3)) for minute in range(11)}
    assert rules(time.audit(moving)[0]) == []
    growing = {minute: look(finding(actual=minute)) for minute in range(11)}
    assert rules(Time().audit(growing)[0]) == ["KTA204"]


def test_a_look_that_could_not_read_everything_does_not_end_the_wait_nor_restart_it(time):
    audited, made = time.audit({0: look(finding()), 3: look(may_pass=True), 6: look(finding())})
    assert (rules(audited), made[-1]) == (["KTA204"], START + 10 * MINUTE)
    audited, made = Time().audit({0: look(may_pass=True), 3: look()})
    assert (audited.could_not_check, made[-1]) == ((), START + 3 * MINUTE)
    audited, made = Time().audit({0: look(may_pass=True)})
    assert (audited.could_not_check, made[-1]) == (("no answer",), START + 10 * MINUTE)


def test_without_a_grace_period_one_look_is_enough(time):
    audited, made = time.audit({0: look(finding(), may_pass=True)}, graces={})
    assert (rules(audited), len(made)) == (["KTA204"], 1)


def test_a_rule_has_its_own_grace_period(time, tmp_path):
    (tmp_path / "t.yaml").write_text("version: 1\nrules:\n  KTA304: {for: 30m}\n  KTA204: {for: 0s}\n")
    topology = load(tmp_path / "t.yaml").topology
    assert graces_of(topology, None) == {"KTA304": 30 * MINUTE}
    graces = graces_of(topology, 10 * MINUTE)
    assert (graces["KTA304"], graces["KTA201"]) == (30 * MINUTE, 10 * MINUTE)
    assert not {"KTA204", "KTA104", "KTA309"} & graces.keys()
    audited, made = time.audit({0: look(finding("KTA201"), finding("KTA304")), 12: look(finding("KTA201"))}, graces)
    assert (rules(audited), made[-1] < START + 13 * MINUTE) == (["KTA201"], True)


def test_every_check_that_passes_by_itself_takes_for():
    taking = {rule.id for rule in audit_rules() if any(option.name == "for" for option in rule.options)}
    assert taking == {check.id for check in checks() if check.transient}
    assert {"KTA201", "KTA204", "KTA304", "KTA305", "KTA501"} <= taking
    assert not {"KTA101", "KTA104", "KTA309", "KTA401"} & taking


def test_a_watch_knows_what_is_new_and_what_is_gone():
    following = Following({})
    first = following.after([finding(), finding("KTA104")], START, is_complete=True)
    assert [each.id for each in first.new] == ["KTA204", "KTA104"]
    second = following.after([finding("KTA104"), finding("KTA304")], START + MINUTE, is_complete=True)
    assert ([each.id for each in second.new], [each.id for each in second.gone]) == (["KTA304"], ["KTA204"])
    assert [each.evidence["since"][14:16] for each in second.reported] == ["00", "01"]
    unread = following.after([], START + 2 * MINUTE, is_complete=False)
    assert (unread.reported, unread.gone) == ((), ())
    after = following.after([finding("KTA304")], START + 3 * MINUTE, is_complete=True)
    assert (after.new, [each.id for each in after.gone]) == ((), ["KTA104"])


def test_two_of_a_kind_that_become_one_are_one_that_lasts():
    following = Following({"KTA204": MINUTE})
    following.after([finding(), finding()], START, is_complete=True)
    then = following.after([finding()], START + MINUTE, is_complete=True)
    assert (len(then.reported), then.waiting) == (1, ())
