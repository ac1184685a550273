"""Did somebody change what was deployed? `pulumi up` would overwrite it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...audit.check import Check, found, value_text
from ...audit.observing.group_log import GROUPS
from ...audit.subjects.share_groups import SHARE_GROUPS
from ...cluster.live.groups import Committed
from ...cluster.live.topics import LiveTopic
from ...cluster.outcomes import Failure
from ...provider.resources.descriptor import installed_kinds
from ...provider.resources.input_checks import plain
from ...provider.resources.topic import inputs as topics
from ...topology.kafka.equal import same
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import counted, listed
from ..digesting import DRIFT
from ..readings import shown
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...cluster.live.groups import LiveGroup
    from ...cluster.live.share_groups import LiveShareGroup, ShareOffset
    from ..facts import Facts
    from ..requests import Request

DRIFTED: Final = Check(
    "KTP301", "drift", Severity.ERROR,
    "A resource is not as it was deployed: somebody changed it on the cluster, or deleted it.",
    "`pulumi up` overwrites the change where it touches the resource, and leaves it unseen where it does not. Somebody "
    "may have made it for a reason, such as a longer retention during an incident.",
    "Declare what is there if it should stay. Otherwise run `pulumi up --refresh`, which sets it back.",
)  # fmt: skip
_FIX: Final = "declare what is there if it should stay, or run pulumi up --refresh to set it back"
_OFFSETS_FIX: Final = "ask who did it; pulumi up --refresh commits the declared start of a group that is gone"
_REPLACED_FIX: Final = "ask who replaced it and whether its records are needed, then run pulumi up --refresh"


def look(facts: Facts) -> Looked:
    unread = facts.unread_by(DRIFT)
    if facts.deployed is None:
        is_unclear = any(each.action == "unclear" for each in facts.changes())
        said = "what was deployed is unknown" if is_unclear else "nothing declared differs on the cluster"
        return Looked(said, (), unread)
    findings = (*_topics(facts), *_kept(facts), *_changed(facts), *_offsets(facts))
    silent = dict.fromkeys(each.failure.message for each in facts.readings.values() if each.failure is not None)
    return Looked(_said(facts, findings), findings, (*unread, *silent))


def _said(facts: Facts, findings: tuple[Finding, ...]) -> str:
    """Claims nothing of what was not compared."""
    deployed = [each for each in facts.requests.values() if each.before is not None and each.action != "delete"]
    unread = sum(each.failure is not None for each in facts.readings.values())
    rest = f"; {unread:,} could not be read" if unread else ""
    if users := sum(each.kind == "User" for each in deployed):
        rest += f"; Kafka shows no passwords: {counted(users, 'user')} compared without"
    if findings:
        return f"{counted(len(findings), 'difference')} from what was deployed{rest}"
    return f"{counted(len(deployed) - unread, 'deployed resource')} as deployed{rest}"


def _topics(facts: Facts) -> Iterator[Finding]:
    """Compared value by value with what was deployed, also where this deployment changes the topic."""
    for request in facts.requests.values():
        if request.kind != "Topic" or request.before is None or request.action == "delete":
            continue
        live = facts.live_topic(request.name)
        if live is not None:
            yield from _topic(facts, request, live)
        elif "KTA101" in {each.id for each in facts.found if each.resource == request.name}:
            about = facts.about(request)
            yield found(DRIFTED, about, about.declared, f"{request.name} was deployed and is not on the cluster", _FIX)


def _topic(facts: Facts, request: Request, live: LiveTopic) -> Iterator[Finding]:
    assert request.before is not None  # noqa: S101 - the caller has looked
    was, about = topics.parse(request.before), facts.about(request)
    declared = facts.topology.topics[request.name]

    def differs(what: str, now: object, then: object, *path: str) -> Finding:
        at = declared.place(*path) if path else declared.location
        message = f"{about.name}: {what} is {now} on the cluster, and was deployed as {then}"
        return found(DRIFTED, about, at, message, _FIX, expected=then, actual=now)

    if _is_another(facts, request, live):
        message = f"{about.name} was deleted and created again since it was deployed"
        yield found(DRIFTED, about, declared.location, message, _REPLACED_FIX)
    if live.partitions != was.partitions:
        yield differs("partitions", live.partitions, was.partitions, "partitions")
    wanted = topics.parse(request.inputs)
    is_ours = live.is_moving and live.comes_to_replication(wanted.replication)  # an earlier deployment goes on
    if not live.comes_to_replication(was.replication) and not is_ours:
        yield differs("replication", live.replication_text, was.replication, "replication")
    for key, then in sorted(was.config.items()):
        now = live.config.get(key)
        if not same("topic", key, then, now):
            path = ("config", key) if key in declared.config else ()
            yield differs(key, value_text(key, now), value_text(key, then), *path)
    # Set by somebody, and about to be overwritten with the value that is declared now.
    for key, value in sorted(wanted.config.items()):
        now = live.config.get(key)
        if key not in was.config and now is not None and not same("topic", key, value, now):
            yield differs(key, value_text(key, now), "not set", "config", key)


def _is_another(facts: Facts, request: Request, live: LiveTopic) -> bool:
    """Kafka gives every topic an id of its own. An earlier version of the files does not know it."""
    old = facts.deployed.resources.get(request.key) if facts.deployed is not None else None
    made = old.properties.get("topicId") if old is not None else None
    return isinstance(made, str) and live.topic_id is not None and made != live.topic_id


def _kept(facts: Facts) -> Iterator[Finding]:
    """Of resources that this deployment does not change: each difference from the files is one from the deployment.

    What an audit only advises is no drift: a group without a declared start is not there until a consumer joins it.
    """
    kinds = installed_kinds()
    changed = {(kinds[each.kind].reviewed.word, each.name) for each in facts.changes()}
    for finding in facts.found_by(DRIFT):
        is_other = finding.kind == "topic" or (finding.kind, str(finding.resource)) in changed
        if is_other or finding.severity is Severity.ADVICE:
            continue
        yield Finding(
            DRIFTED.id,
            finding.severity,
            finding.message,
            finding.location,
            finding.resource,
            _FIX,
            finding.related,
            evidence={**finding.evidence, "rule": finding.id},
            kind=finding.kind,
        )


def _changed(facts: Facts) -> Iterator[Finding]:
    """Of other resources that this deployment changes, as the provider reads them."""
    for key, reading in facts.readings.items():
        about = facts.about(facts.requests[key])
        if reading.is_gone:
            yield found(DRIFTED, about, about.declared, f"{about.name} was deployed and is not on the cluster", _FIX)
        for each in reading.differences:
            now, then = (shown(each.what, value) for value in (each.now, each.then))
            message = f"{about.name}: {each.what} is {now} on the cluster, and was deployed as {then}"
            yield found(DRIFTED, about, about.declared, message, _FIX, expected=each.then, actual=each.now)


def _offsets(facts: Facts) -> Iterator[Finding]:
    """Groups whose offsets somebody deleted or moved back. Their consumers move them forward, which is normal."""
    live = {"ConsumerGroup": facts.snapshot.of(GROUPS), "ShareGroup": facts.snapshot.of(SHARE_GROUPS)}
    for key, request in facts.requests.items():
        group = live.get(request.kind, {}).get(request.name)
        if request.before is None or request.action == "delete" or group is None or isinstance(group, Failure):
            continue
        # A group that is not there at all is reported as such, and so is one that cannot be compared.
        if group.exists and key not in {key for key, reading in facts.readings.items() if reading.is_gone}:
            yield from _moved(facts, request, group)


def _moved(facts: Facts, request: Request, live: LiveGroup | LiveShareGroup) -> Iterator[Finding]:
    about = facts.about(request)
    now = {f"{topic}-{number}": _offset(held) for (topic, number), held in live.offsets.items()}
    read = {f"{topic}-{number}" for topic, number in live.partitions}
    was = facts.offsets_of(request.key)
    has_start = plain(request.before or {}, "start") is not None
    lost = sorted(at for at in was if at in read and at not in now)
    if not was and has_start and not now and read:
        lost = sorted(read)  # an earlier version of the files has no offsets, only a start
    back = [
        f"{at} from {offset:,} to {now[at]:,}" for at, offset in sorted(was.items()) if now.get(at, offset) < offset
    ]
    if lost:
        message = f"{about.name}: its offsets of {counted(len(lost), 'partition')} are gone ({listed(lost)})"
        severity = DRIFTED.severity if has_start else Severity.WARNING
        yield found(DRIFTED, about, about.declared, message, _OFFSETS_FIX, actual=lost, severity=severity)
    if back:
        message = f"{about.name}: its offsets went back since it was deployed ({listed(back)})"
        yield found(DRIFTED, about, about.declared, message, _OFFSETS_FIX, actual=back, severity=Severity.WARNING)


def _offset(held: Committed | ShareOffset) -> int:
    return held.offset if isinstance(held, Committed) else held.start


STEP = Step(
    name="drift",
    order=40,
    asks="Did somebody change or delete what was deployed, so that `pulumi up` would overwrite it?",
    look=look,
    checks=(DRIFTED,),
    uses=DRIFT,
)
