"""Reads the settings of topics as each broker has them.

Brokers learn of settings one after the other, so what differs is read again for a short time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.admin import DescribeConfigsRequest

from ..attempts import attempts, pause_until
from ..live.topic_configs import differing
from ..outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.second_client import SecondClient

_TOPIC: Final = 2  # Kafka's resource type
_OF_THE_TOPIC: Final = 1  # Kafka's config source DYNAMIC_TOPIC_CONFIG
_SETTLING: Final = 3.0

ByBroker = dict[int, "Outcome[Mapping[str, Mapping[str, str]]]"]


def read_topic_configs(
    second: SecondClient, brokers: Collection[int], topics: Collection[str], keys: Collection[str]
) -> ByBroker:
    """These settings of each topic itself, by broker. Topics that a broker does not describe are left out.

    Names the settings, because a topic has dozens, and each makes the answers of thousands of topics longer.
    """
    found: ByBroker = {broker: _asked(second, broker, topics, keys) for broker in brokers}
    pending = _odd(found)
    for _ in attempts(pending, pause_until(time.monotonic() + _SETTLING)):
        again: ByBroker = {broker: _asked(second, broker, pending, keys) for broker in brokers}
        for broker, configs in again.items():
            before = found[broker]
            if not isinstance(configs, Failure) and not isinstance(before, Failure):
                found[broker] = {**before, **configs}
        pending &= _odd(found)
    return found


def _odd(found: ByBroker) -> set[str]:
    return set(differing({b: configs for b, configs in found.items() if not isinstance(configs, Failure)}))


def _asked(
    second: SecondClient, broker: int, topics: Collection[str], keys: Collection[str]
) -> Outcome[Mapping[str, Mapping[str, str]]]:
    what = f"reading the config of topics on broker {broker}"
    resource = DescribeConfigsRequest.DescribeConfigsResource
    request = DescribeConfigsRequest(
        resources=[
            resource(resource_type=_TOPIC, resource_name=name, configuration_keys=sorted(keys))
            for name in sorted(topics)
        ],
        include_synonyms=False,
        min_version=1,
    )
    answer = second.send(what, request, broker)
    if isinstance(answer, Failure):
        return answer
    for result in answer.results:
        failure = second.failed(what, result.error_code, None)
        if failure is not None and failure.kind not in {FailureKind.MISSING, FailureKind.DENIED}:
            return failure
    return {result.resource_name: _own(result) for result in answer.results if result.error_code == 0}


def _own(result: Any) -> dict[str, str]:
    return {
        entry.name: entry.value
        for entry in result.configs
        if entry.config_source == _OF_THE_TOPIC and entry.value is not None
    }
