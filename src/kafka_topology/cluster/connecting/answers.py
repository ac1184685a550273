"""Turns the answers to librdkafka's requests into values, or failures with their kind."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError, KafkaException

from ..outcomes import Failure, FailureKind, Outcome, unanswered
from ..privileges import not_allowed
from .silence import Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient

    from .settings import ClientSettings

# Errors of librdkafka itself have negative codes. They mean that no answer came (a timeout, a lost connection, a
# broker that left), so the request may be sent again. The errors below would only repeat.
_FINAL: Final = frozenset(
    {
        KafkaError._INVALID_ARG,  # noqa: SLF001 - librdkafka's public names
        KafkaError._INVALID_TYPE,  # noqa: SLF001
        KafkaError._UNSUPPORTED_FEATURE,  # noqa: SLF001
        KafkaError._NOT_IMPLEMENTED,  # noqa: SLF001
        KafkaError._NOT_CONFIGURED,  # noqa: SLF001
        KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001
        KafkaError._UNKNOWN_GROUP,  # noqa: SLF001
        KafkaError._AUTHENTICATION,  # noqa: SLF001
        KafkaError._SSL,  # noqa: SLF001
        KafkaError._FATAL,  # noqa: SLF001
    }
)
# After these, the connection is fine: the client only does not know the leader or the coordinator yet.
_NOT_KNOWN_YET: Final = frozenset({KafkaError._NOENT, KafkaError._WAIT_COORD})  # noqa: SLF001
# After these, the client may be asking a broker that is gone, or that is no longer the controller.
_OTHER_BROKER: Final = frozenset(
    {KafkaError.NETWORK_EXCEPTION, KafkaError.NOT_CONTROLLER, KafkaError.BROKER_NOT_AVAILABLE}
)
_KINDS: Final = {
    KafkaError.UNKNOWN_TOPIC_OR_PART: FailureKind.MISSING,
    KafkaError._UNKNOWN_TOPIC: FailureKind.MISSING,  # noqa: SLF001
    KafkaError.GROUP_ID_NOT_FOUND: FailureKind.MISSING,
    KafkaError.RESOURCE_NOT_FOUND: FailureKind.MISSING,
    KafkaError.TOPIC_ALREADY_EXISTS: FailureKind.EXISTS,
    **dict.fromkeys(_OTHER_BROKER, FailureKind.UNCERTAIN),
    KafkaError.REQUEST_TIMED_OUT: FailureKind.UNCERTAIN,
    KafkaError.THROTTLING_QUOTA_EXCEEDED: FailureKind.UNCERTAIN,  # refused for now: ask again
    KafkaError.LEADER_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.NOT_LEADER_FOR_PARTITION: FailureKind.UNCERTAIN,
    KafkaError.COORDINATOR_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS: FailureKind.UNCERTAIN,
    KafkaError.NOT_COORDINATOR: FailureKind.UNCERTAIN,
    KafkaError.NOT_ENOUGH_REPLICAS: FailureKind.UNCERTAIN,
    KafkaError.OFFSET_NOT_AVAILABLE: FailureKind.UNCERTAIN,
    KafkaError.FENCED_LEADER_EPOCH: FailureKind.UNCERTAIN,
    KafkaError.UNKNOWN_LEADER_EPOCH: FailureKind.UNCERTAIN,
    KafkaError.KAFKA_STORAGE_ERROR: FailureKind.UNCERTAIN,
    KafkaError.TOPIC_AUTHORIZATION_FAILED: FailureKind.DENIED,
    KafkaError.GROUP_AUTHORIZATION_FAILED: FailureKind.DENIED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: FailureKind.DENIED,
}
# librdkafka ends every request at its own timeout. If it has not done so this much later, something is broken.
_GRACE: Final = 30.0


class Asking:
    """A running call of one client. `is_lost` is set when an answer did not come."""

    def __init__(
        self,
        admin: AdminClient,
        settings: ClientSettings,
        silence: Silence | None = None,
        brokers: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self.admin = admin
        self.settings = settings
        self.is_lost = False
        self._silence = silence or Silence(settings)
        self._brokers = brokers

    @property
    def timeout(self) -> float:
        """How long a request that is sent now may take."""
        return self._silence.next

    def value(self, what: str, future: Future[Any]) -> Any:
        """The result, or a Failure."""
        asked = time.monotonic()
        longest = self.timeout + _GRACE
        try:
            # Not `result`, which raises: error, frames and future would then hold each other in a reference cycle.
            error = future.exception(longest)
        except TimeoutError:
            self.is_lost = True
            return unanswered(what, f"no answer within {longest:g} s", self._silent_since(asked))
        if isinstance(error, KafkaException):
            return self.failure(what, error.args[0], asked)
        return future.result()

    def done(self, what: str, futures: Mapping[str, Future[Any]]) -> dict[str, Outcome[None]]:
        outcomes: dict[str, Outcome[None]] = {}
        for name, future in futures.items():
            answer = self.value(f"{what} '{name}'", future)
            outcomes[name] = answer if isinstance(answer, Failure) else None
        return outcomes

    def topics(self) -> Outcome[Mapping[str, Any]]:
        """The metadata of every topic that the principal may see."""
        asked = time.monotonic()
        try:
            found: Mapping[str, Any] = self.admin.list_topics(timeout=self.timeout).topics
        except KafkaException as error:
            return self.failure("listing the topics", error.args[0], asked)
        return found

    def failure(self, what: str, reason: KafkaError, asked: float | None = None) -> Failure:
        """The failure for an error. `asked` is when the wait for it began."""
        self.is_lost = self.is_lost or _is_lost(reason.code())
        is_unanswered = asked is not None and _kind(reason.code()) is FailureKind.UNCERTAIN
        return failure_of(self.settings, what, reason, self._silent_since(asked) if is_unanswered else ())

    def _silent_since(self, asked: float | None) -> tuple[str, ...]:
        """Counts the time since then, which brought no answer. Returns the addresses that do not answer."""
        self._silence.spend(0 if asked is None else time.monotonic() - asked)
        return self._silence.look(self._brokers()) if self.is_lost else ()


def _is_lost(code: int) -> bool:
    """Whether the connection may be broken."""
    return code in _OTHER_BROKER or (_is_silence(code) and code not in _NOT_KNOWN_YET)


def _is_silence(code: int) -> bool:
    """Whether the client itself gave up, and another attempt may get an answer."""
    return code < 0 and code not in _FINAL and code not in _KINDS


def _kind(code: int) -> FailureKind:
    return FailureKind.UNCERTAIN if _is_silence(code) else _KINDS.get(code, FailureKind.REJECTED)


def failure_of(settings: ClientSettings, what: str, reason: KafkaError, silent: Collection[str] = ()) -> Failure:
    kind = _kind(reason.code())
    if kind is FailureKind.DENIED:
        return not_allowed(what, f" ({reason.name()})")
    said = settings.redact(f"{reason.str()} ({reason.name()})")
    return unanswered(what, said, silent) if kind is FailureKind.UNCERTAIN else Failure(kind, f"{what}: {said}", said)
