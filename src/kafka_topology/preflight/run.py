"""A whole preflight: judge the files, connect, read, ask the brokers, and let each step answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..audit.observing.group_log import GROUPS
from ..audit.observing.live_kafka_topics import OWN_TOPICS
from ..audit.observing.snapshot import Observation, Snapshot, Survey
from ..audit.registry import subjects
from ..audit.rules import audit_rules
from ..audit.subjects.health.disks import DISKS
from ..audit.subjects.health.versions import SOFTWARE
from ..audit.subjects.share_groups import SHARE_GROUPS
from ..cluster.attempts import patience
from ..cluster.cluster import Cluster
from ..cluster.outcomes import ClusterUnreachableError
from ..topology.model.findings import Finding, Severity, in_reading_order
from ..validators import Outcome, judged, options_of, run
from .digesting import fingerprint_of
from .facts import Facts
from .places import Places
from .readings import read_changed
from .registry import steps
from .requests import ask
from .rules import preflight_rules
from .step import Looked, Step

if TYPE_CHECKING:
    from ..provider.config.settings import Settings
    from ..topology.model.declared import Topology
    from ..validators import Rule
    from .deployed import Deployed
    from .fingerprints import Fingerprint

Answer: TypeAlias = Literal["yes", "no", "could not check"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What one step says: its answer, a line about it, and the findings that count against it."""

    step: Step
    answer: Answer
    said: str


@dataclass(frozen=True, slots=True)
class Preflighted:
    """`changes` counts what `pulumi up` would create, update and delete of all `resources`.

    `compared` says with what the files were compared; None if nobody said what was deployed.
    """

    outcome: Outcome
    answered: tuple[Answered, ...]
    could_not_check: tuple[str, ...] = ()
    changes: Mapping[str, int] = field(default_factory=dict)
    resources: int = 0
    compared: str | None = None
    fingerprint: Fingerprint | None = None


def preflight(
    topology: Topology,
    settings: Settings,
    deployed: Deployed | None = None,
    expected: Fingerprint | None = None,
    fail_on: Severity = Severity.ERROR,
) -> Preflighted:
    """Changes nothing. `expected` is the fingerprint of an earlier preflight, whose plan is to be applied now."""
    before = deployed.topology if deployed is not None else None
    options = options_of(topology, _rules())
    judgement = run(topology, before=before)
    facts = Facts(topology, judgement, deployed, options, expected=expected, places=Places(topology, before))
    unreachable: Looked | None = None
    looked: list[tuple[Step, Looked | None]] = []
    try:
        with closing(Cluster(settings)) as cluster:
            cluster.connect()
            facts = _seen(facts, cluster, settings)
            looked = [(step, step.look(facts)) for step in steps()]
    except ClusterUnreachableError as error:
        unreachable = Looked("the cluster cannot be reached", unread=(str(error),))
        looked = [(step, unreachable if step.needs_cluster else step.look(facts)) for step in steps()]
    found = [(step, each) for step, each in looked if each is not None]
    return _preflighted(facts, found, fail_on, None if unreachable else fingerprint_of(facts))


def _rules() -> tuple[Rule, ...]:
    return (*audit_rules(), *preflight_rules())


def _seen(facts: Facts, cluster: Cluster, settings: Settings) -> Facts:
    """With what the cluster shows, and what its brokers answer to the requests of the deployment."""
    topology = facts.topology
    wanted = frozenset(check for step in steps() for check in step.uses)
    used = [each for each in subjects() if wanted & {check.id for check in each.checks} and not each.is_off(topology)]
    survey = Survey(cluster, topology, patience(cluster.patience), {})
    for observation in {each.name: each for subject in used for each in subject.reads}.values():
        survey.read(observation)
    more: tuple[Observation[Any], ...] = (DISKS, SOFTWARE, GROUPS, SHARE_GROUPS, OWN_TOPICS)
    for each in more:
        survey.read(each)
    live = Snapshot(survey.seen)
    findings = [
        each for subject in used for each in subject.compare(topology, live, facts.options) if each.id in wanted
    ]
    unread: dict[str, tuple[str, ...]] = {}
    for subject in used:
        reasons = tuple(why for seen in subject.reads for why in seen.unread(topology, live.of(seen)))
        unread |= dict.fromkeys((check.id for check in subject.checks), reasons)
    asked = ask(topology, facts.deployed, settings, cluster)
    return replace(
        facts,
        cluster=cluster,
        live=live,
        found=in_reading_order(findings),
        unread=unread,
        asked_for=asked,
        readings=read_changed(asked.requests, facts.deployed, settings, cluster),
    )


def _preflighted(
    facts: Facts, looked: list[tuple[Step, Looked]], fail_on: Severity, fingerprint: Fingerprint | None
) -> Preflighted:
    outcomes = {
        step.name: replace(facts.judged, findings=each.findings)
        if step.judges_files
        else judged(facts.topology, each.findings, _rules())
        for step, each in looked
    }
    answered = tuple(
        Answered(step, _answer(outcomes[step.name].findings, each, fail_on), each.said) for step, each in looked
    )
    every = list(outcomes.values())
    outcome = Outcome(
        in_reading_order([finding for each in every for finding in each.findings]),
        tuple(suppressed for each in every for suppressed in each.suppressed),
        tuple(sorted({rule.id: rule for each in every for rule in each.rules}.values(), key=lambda rule: rule.id)),
        frozenset().union(*(each.ran for each in every)),
    )
    changes: Counter[str] = Counter(each.action for each in facts.changes())
    return Preflighted(
        outcome,
        answered,
        tuple(dict.fromkeys(reason for _, each in looked for reason in each.unread)),
        changes,
        len(facts.requests),
        facts.deployed.source if facts.deployed is not None else None,
        fingerprint,
    )


def _answer(findings: tuple[Finding, ...], looked: Looked, fail_on: Severity) -> Answer:
    if any(finding.severity.at_least(fail_on) for finding in findings):
        return "no"
    return "could not check" if looked.unread else "yes"
