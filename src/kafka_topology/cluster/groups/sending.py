"""Sends messages of ours, which brokers may not have, and reads their errors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kafka.errors import IncompatibleBrokerVersion, UnsupportedVersionError

from ..outcomes import Failure, FailureKind
from ..privileges import not_allowed

if TYPE_CHECKING:
    from ..connecting.second_client import SecondClient

NO_VERSION: Final = 35  # Kafka's UNSUPPORTED_VERSION: the brokers know the request, and the feature is off


def sent(second: SecondClient, what: str, request: Any, node: int | None, *, too_old: str) -> Any:
    """The answer of one broker, or a Failure. `too_old` says what these brokers do not have."""
    answer = second.call(what, partial(_send, request=request, node=node))
    return Failure(FailureKind.REJECTED, f"{what}: {too_old}") if answer is None else _readable(what, answer)


def _send(client: Any, request: Any, node: int | None) -> Any:
    """The answer; None if the brokers do not have this request."""
    manager = client._manager  # noqa: SLF001 - no public method sends a custom message
    try:
        return manager.run(manager.send, request, node)
    except (IncompatibleBrokerVersion, UnsupportedVersionError):
        return None


def failed(second: SecondClient, what: str, part: Any, *, feature_off: str) -> Failure | None:
    """The failure of one part of an answer, or None."""
    if part.error_code == NO_VERSION:
        return Failure(FailureKind.REJECTED, f"{what}: {feature_off}")
    failure: Failure | None = _readable(what, second.failed(what, part.error_code, part.error_message))
    return failure


def _readable(what: str, answer: Any) -> Any:
    if isinstance(answer, Failure) and answer.kind is FailureKind.DENIED:
        return not_allowed(what)
    return answer
