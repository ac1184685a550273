"""Changes of quotas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...topology.model.declared import Quota
from ..changes import Change, Verdict, care, safe, unclassified
from ..fields import changed_fields
from ..judging import field_change, whole_change
from ..subject import Subject
from ..versions import Versions

_LIMITS = {
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}


def _quota_name(quota: Quota) -> str:
    parts = [f"user {quota.user}" if quota.user else "", f"client {quota.client_id}" if quota.client_id else ""]
    return " and ".join(part for part in parts if part) or "default"


def quota_changes(versions: Versions) -> Iterator[Change]:
    before = {_quota_name(quota): quota for quota in versions.old.topology.quotas}
    after = {_quota_name(quota): quota for quota in versions.new.topology.quotas}
    for name, quota in after.items():
        if name not in before:
            yield whole_change(("quota", name), "add", care("Kafka throttles clients above the limit"), quota)
        elif quota != before[name]:
            for path, was, now in changed_fields("quotas", before[name], quota):
                verdict = _limit(before[name], quota, path[-1])
                yield field_change(("quota", name), path, (was, now), verdict, (before[name], quota))
    for name, quota in before.items():
        if name not in after:
            yield whole_change(
                ("quota", name), "remove", care("no limit applies any more; other clients may suffer"), quota
            )


def _limit(old: Quota, new: Quota, field: str) -> Verdict:
    if field not in _LIMITS:
        return unclassified()
    was, now = (getattr(quota, _LIMITS[field]) for quota in (old, new))
    if now is None:
        return care("no limit applies any more; other clients may suffer")
    if was is None or now < was:
        return care("Kafka throttles clients above the limit")
    return safe("the limit is higher than before")


SUBJECT: Final = Subject(order=50, kinds=("quota",), sections=("quotas",), changes=quota_changes)
