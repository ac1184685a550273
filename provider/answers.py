"""What the brokers answer to librdkafka's requests, as values or failures with their kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError, KafkaException

from .outcomes import Failure, FailureKind, Outcome
from .privileges import denied

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from .settings import Settings

_KINDS: Final = {
    KafkaError.UNKNOWN_TOPIC_OR_PART: FailureKind.MISSING,
    KafkaError._UNKNOWN_TOPIC: FailureKind.MISSING,  # noqa: SLF001 - librdkafka's public name
    KafkaError.GROUP_ID_NOT_FOUND: FailureKind.MISSING,
    KafkaError.RESOURCE_NOT_FOUND: FailureKind.MISSING,
    KafkaError.TOPIC_ALREADY_EXISTS: FailureKind.EXISTS,
    KafkaError.REQUEST_TIMED_OUT: FailureKind.UNCERTAIN,
    KafkaError._TIMED_OUT: FailureKind.UNCERTAIN,  # noqa: SLF001
    KafkaError._TRANSPORT: FailureKind.UNCERTAIN,  # noqa: SLF001
    KafkaError.NETWORK_EXCEPTION: FailureKind.UNCERTAIN,
    KafkaError.NOT_CONTROLLER: FailureKind.UNCERTAIN,
    KafkaError.BROKER_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.LEADER_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.NOT_LEADER_FOR_PARTITION: FailureKind.UNCERTAIN,
    KafkaError.COORDINATOR_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS: FailureKind.UNCERTAIN,
    KafkaError.NOT_COORDINATOR: FailureKind.UNCERTAIN,
    KafkaError.NOT_ENOUGH_REPLICAS: FailureKind.UNCERTAIN,
    KafkaError.TOPIC_AUTHORIZATION_FAILED: FailureKind.DENIED,
    KafkaError.GROUP_AUTHORIZATION_FAILED: FailureKind.DENIED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: FailureKind.DENIED,
}
# librdkafka ends every request at its own timeout; this much later, something is broken.
_GRACE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Answers:
    settings: Settings

    @property
    def timeout(self) -> float:
        return self.settings.request_timeout

    def value(self, what: str, future: Future[Any]) -> Any:
        """The result, or a Failure."""
        try:
            # Not `result`, which raises: the error would hold the frames, these the future, and that the error.
            error = future.exception(self.timeout + _GRACE)
        except TimeoutError:
            return Failure(FailureKind.UNCERTAIN, f"{what}: no answer within {self.timeout + _GRACE:g} s")
        if isinstance(error, KafkaException):
            return self.failure(what, error.args[0])
        return future.result()

    def done(self, what: str, futures: Mapping[str, Future[Any]]) -> dict[str, Outcome[None]]:
        outcomes: dict[str, Outcome[None]] = {}
        for name, future in futures.items():
            answer = self.value(f"{what} '{name}'", future)
            outcomes[name] = answer if isinstance(answer, Failure) else None
        return outcomes

    def failure(self, what: str, reason: KafkaError) -> Failure:
        kind = _KINDS.get(reason.code(), FailureKind.REJECTED)
        if kind is FailureKind.DENIED:
            return Failure(kind, f"{denied(what)} ({reason.name()})")
        return Failure(kind, self.settings.redact(f"{what}: {reason.str()} ({reason.name()})"))
