"""What clients lose with settings that promise less, and which settings need all members to stop first."""

from __future__ import annotations

from collections.abc import Mapping

from ..topology.kafka.clients.libraries import given
from ..topology.model.declared import ConsumerGroup, Producer, StreamsApplication
from .changes import Verdict, breaking
from .versions import Version, Versions

Role = Producer | ConsumerGroup | StreamsApplication
_STARTS = "it takes effect when the application starts with it"
_STRENGTH = {"0": 0, "1": 1, "all": 2, "-1": 2}
_LOST = {
    0: "acks is 0: the producer does not notice when a record is lost",
    1: "acks is 1: acknowledged records are lost with the leader, although followers have no copy yet",
}


def weaker_setting(versions: Versions, old: Role, new: Role, name: str) -> Verdict | None:
    """The verdict on a changed setting, by whatever name, that breaks a promise; None if it breaks none."""
    if isinstance(old, StreamsApplication) or isinstance(new, StreamsApplication):
        return _of_streams(old.config, new.config, name)
    if isinstance(old, Producer) and isinstance(new, Producer) and "acks" in name.lower():
        return _weaker_acks(versions, old, new)
    before, after = given(old), given(new)
    if isinstance(new, ConsumerGroup) and "isolation" in name.lower():
        was, now = (each.get("isolation.level", "read_uncommitted") for each in (before, after))
        if was == "read_committed" != now:
            return breaking(f"the group gets records of transactions that are open or were aborted; {_STARTS}")
    if isinstance(new, Producer) and "idempot" in name.lower():
        is_off = after.get("enable.idempotence", "").lower() == "false"
        if is_off and before.get("enable.idempotence", "").lower() != "false":
            return breaking(f"a retry may write a record twice, or after later ones; {_STARTS}")
    return None


def _of_streams(before: Mapping[str, str], after: Mapping[str, str], name: str) -> Verdict | None:
    was, now = before.get(name, ""), after.get(name, "")
    if name == "processing.guarantee" and was.startswith("exactly_once") and not now.startswith("exactly_once"):
        return breaking("a weaker promise than exactly-once: records may be processed twice")
    if name == "group.protocol" and "streams" in (was.lower(), now.lower()):
        return breaking(
            "a group changes its protocol only without members: stop every instance, wait for session.timeout.ms, then"
            " start them with it; a rolling restart fails. Committed offsets stay"
        )
    return None


def _weaker_acks(versions: Versions, old: Producer, new: Producer) -> Verdict | None:
    """None if the new version waits for as many replicas as before."""
    was, now = _strength(versions.old, old), _strength(versions.new, new)
    if was is None or now is None or now >= was:
        return None
    return breaking(f"{_LOST[now]}; {_STARTS}")


def _strength(version: Version, producer: Producer) -> int | None:
    writers = (writer for topic in producer.topics for writer in version.index.clients.writers_of(topic))
    acks = next((writer.acks for writer in writers if writer.name == producer.name), None)
    return _STRENGTH.get(str(acks.value)) if acks is not None else None
