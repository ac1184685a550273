"""Holds the client of librdkafka, and replaces it after a call that got no answer.

librdkafka may keep asking a controller that has died, although the cluster elects another one within seconds. A new
client finds the new controller, so the next attempt gets an answer.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from .answers import Asking
from .errors import not_reached, refused_setting, several_clusters, wrong_address, wrong_timeout
from .probe import address_of
from .silence import Silence
from .tokens import librdkafka_login

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .settings import ClientSettings

_HOPELESS: Final = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - librdkafka's public name
        KafkaError._AUTHENTICATION,  # noqa: SLF001
        KafkaError._SSL,  # noqa: SLF001
    }
)
_AFTER: Final = re.compile(r" \(after \d+ms in state \w+(?:, \d+ identical error\(s\) suppressed)?\)")
# With its default, librdkafka connects to a dead broker thousands of times a second while a request waits for it.
_PERSISTENT: Final = {"enable.sparse.connections": "false"}
# How long to wait after a host's first address failed: the host may have more addresses.
_SECOND_CHANCE: Final = 1.0
# How long a client may take after its first error before a new client tries.
_NEXT_TRY: Final = 2.0
_POLL: Final = 0.02
# How long the other addresses may take after one has answered.
_OTHERS: Final = 1.0
# The last part of the time goes to finding out why nobody answers.
_PROBING: Final = 2.0
# Threads notice the deadline a little late.
_GRACE: Final = 2.0


class _Complaints:
    """Collects the errors that the client reports while it cannot connect.

    It has no reference to the connection: a client in a reference cycle with its owner is destroyed by the garbage
    collector, in whichever thread happens to run it.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, None] = {}
        self.give_up_at = float("inf")
        self.is_hopeless = False

    def hear(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # noqa: SLF001 - does not name the reason
            self.reasons[_AFTER.sub("", error.str())] = None
        if error.code() in _HOPELESS:
            self.is_hopeless = True
            self.give_up_at = min(self.give_up_at, time.monotonic() + _SECOND_CHANCE)


class _Line:
    """One client, how many calls use it now, and whether new calls must use another one."""

    def __init__(self, admin: AdminClient, complaints: _Complaints) -> None:
        self.admin = admin
        self.complaints = complaints
        self.calls = 0
        self.is_retired = False


@dataclass(frozen=True, slots=True)
class _Found:
    """The cluster behind one address, or the reasons why none answered."""

    address: str
    cluster_id: str | None
    brokers: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class Connection:
    """Call `connect` first: it fails at once, where other calls would wait for a timeout.

    All clients connect to the same cluster: they start from addresses whose cluster id has been checked.
    """

    def __init__(self, settings: ClientSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._known: tuple[str, ...] = ()
        wrong_timeout(settings)
        wrong_address(settings)
        self.silence = Silence(settings)
        self._line: _Line | None = self._open()

    @property
    def servers(self) -> str:
        """Where new clients start: the addresses that answered, then every broker of the cluster.

        So a single configured address is enough, even after its broker dies. Without those that do not answer.
        """
        answering = [address for address in self._known if address not in self.silence.addresses]
        return ",".join(answering or self._known) or self.settings.servers

    def connect(self) -> str:
        """The cluster's id, or ClusterUnreachableError as soon as every broker has been tried.

        Asks each address separately, and refuses a list with brokers of two clusters: requests would go to either of
        them. After the first answer, the others get a short time; addresses without an answer are not used.
        """
        started = time.monotonic()
        probing = min(_PROBING, self.settings.request_timeout / 5)
        deadline = started + self.settings.request_timeout - probing
        given = [address.strip() for address in self.settings.servers.split(",") if address.strip()]
        found = self._ask_each(given, deadline)
        clusters = {one.cluster_id: one for one in found if one.cluster_id is not None}
        if not clusters:
            reasons = dict.fromkeys(reason for one in found for reason in one.reasons)
            raise not_reached(self.settings, [*reasons], time.monotonic() - started, probing)
        if len(clusters) > 1:
            raise several_clusters({one.address: one.cluster_id for one in found if one.cluster_id is not None})
        self.silence.spend(max(time.monotonic() - started - _OTHERS, 0))
        [(cluster_id, one)] = clusters.items()
        answered = [each.address for each in found if each.cluster_id is not None]
        self._known = tuple(dict.fromkeys((*answered, *one.brokers)))
        if answered != given:
            with self._used() as line:
                self._retire(line)  # it knows addresses that have not answered
        return cluster_id

    def _ask_each(self, addresses: Sequence[str], deadline: float) -> list[_Found]:
        if len(addresses) == 1:
            with self._used() as line:
                return [self._ask(addresses[0], deadline, line)]
        found: queue.SimpleQueue[_Found] = queue.SimpleQueue()
        for address in addresses:
            # A daemon thread: an address that hangs must not delay the exit.
            threading.Thread(target=lambda at: found.put(self._ask(at, deadline)), args=(address,), daemon=True).start()
        answers: list[_Found] = []
        until = deadline + _GRACE
        while len(answers) < len(addresses):
            try:
                answers.append(found.get(timeout=max(until - time.monotonic(), 0)))
            except queue.Empty:
                break
            if answers[-1].cluster_id is not None:
                until = min(until, time.monotonic() + _OTHERS)
        return sorted(answers, key=lambda one: addresses.index(one.address))

    def _ask(self, address: str, deadline: float, line: _Line | None = None) -> _Found:
        """Asks one address for its cluster, with a new client after errors.

        While a dead broker is still listed, a client may take it for the controller. A new client looks the controller
        up again, so this does not wait for the whole timeout.
        """
        own = line is None
        line = line or self._open(address)
        while True:
            described = _described(line, deadline, self.settings.request_timeout)
            heard = line.complaints
            is_last = described is not None or heard.is_hopeless or time.monotonic() >= deadline
            if own:
                _close(line)
            elif described is None:
                self._retire(line)
            if described is not None:
                brokers = tuple(address_of(node.host, node.port) for node in described.nodes)
                return _Found(address, str(described.cluster_id), brokers)
            if is_last:
                return _Found(address, None, reasons=tuple(heard.reasons))
            line, own = self._open(address), True

    @contextmanager
    def asking(self) -> Iterator[Asking]:
        """For one call, or several at once. Wait for every answer inside the block."""
        with self._used() as line:
            asking = Asking(line.admin, self.settings, self.silence, lambda: self._known)
            try:
                yield asking
            finally:
                if asking.is_lost:
                    self._retire(line)

    def close(self) -> None:
        """Ends the client's threads at once. No call may be running."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            _close(line)

    @contextmanager
    def _used(self) -> Iterator[_Line]:
        with self._lock:
            if self._line is None:
                self._line = self._open()
            line = self._line
            line.calls += 1
        try:
            yield line
        finally:
            with self._lock:
                line.calls -= 1
                is_last = line.is_retired and line.calls == 0
            if is_last:
                _close(line)

    def _retire(self, line: _Line) -> None:
        """Gives new calls another client. Running calls keep this one, and the last of them closes it."""
        with self._lock:
            line.is_retired = True
            if self._line is line:
                self._line = None

    def _open(self, servers: str | None = None) -> _Line:
        complaints = _Complaints()
        client: dict[str, Any] = {**_PERSISTENT, **self.settings.client, "error_cb": complaints.hear, "log_level": 0}
        client["bootstrap.servers"] = servers or self.servers
        try:
            admin = AdminClient(client | librdkafka_login(self.settings))
        except (KafkaException, ValueError, TypeError) as error:
            raise refused_setting(self.settings, error) from None
        line = _Line(admin, complaints)
        if self._known and "oauth_cb" in client:
            admin.poll(_POLL)  # logs in: nothing else calls the callback
        return line


def _described(line: _Line, deadline: float, timeout: float) -> Any:
    """The cluster, or None if a new client should try or none can succeed."""
    future = line.admin.describe_cluster(request_timeout=timeout)
    heard = line.complaints
    heard.give_up_at = min(heard.give_up_at, deadline)
    try_again_at = time.monotonic() + _NEXT_TRY
    while not future.done() and time.monotonic() < heard.give_up_at:
        line.admin.poll(_POLL)
        if heard.reasons and not heard.is_hopeless and time.monotonic() >= try_again_at:
            return None
    error = future.exception() if future.done() else None
    if error is not None:
        heard.is_hopeless = True  # another client would get the same error
        reason = error.args[0] if isinstance(error, KafkaException) else None
        if reason is not None and reason.code() != KafkaError._TIMED_OUT:  # noqa: SLF001 - does not name the reason
            heard.reasons.setdefault(reason.str(), None)
    return future.result() if future.done() and error is None else None


def _close(line: _Line) -> None:
    """Closes the client explicitly. The garbage collector could destroy it in one of the client's own threads, and then
    the process hangs or dies.
    """
    line.admin.__exit__(None, None, None)
