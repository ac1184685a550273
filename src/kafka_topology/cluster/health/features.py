"""Asks each broker for its versions and features. Everybody may ask that, even before a login."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka.protocol.metadata import ApiVersionsRequest

from ..live.features import Software
from ..outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..connecting.second_client import SecondClient

_WITH_FEATURES: Final = 3  # the version of ApiVersions that has features


def read_software(second: SecondClient, brokers: Collection[int]) -> dict[int, Outcome[Software]]:
    return {broker: _software(second, broker) for broker in brokers}


def _software(second: SecondClient, broker: int) -> Outcome[Software]:
    what = f"asking broker {broker} for its versions"
    request = ApiVersionsRequest(
        client_software_name="kafka-topology", client_software_version="0", min_version=_WITH_FEATURES
    )
    answer = second.send(what, request, broker)
    if isinstance(answer, Failure):
        return answer
    failure = second.failed(what, answer.error_code, None)
    if failure is not None:
        return failure
    return Software(
        {each.name: (each.min_version, each.max_version) for each in answer.supported_features or ()},
        {each.name: each.max_version_level for each in answer.finalized_features or () if each.max_version_level > 0},
    )
