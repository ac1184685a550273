"""kafka-python, for requests that librdkafka does not have or gets wrong. Connects with the same settings.

Only this module and those that send its messages use it. Its log is silenced, because it would write the settings.
"""

from __future__ import annotations

import logging
import queue
import ssl
import tempfile
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    BrokerResponseError,
    GroupIdNotFoundError,
    KafkaError,
    KafkaTimeoutError,
    NotControllerError,
    ResourceNotFoundError,
    RetriableError,
    UnknownBrokerIdError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.net.sasl.oauth import AbstractTokenProvider

from ..outcomes import Failure, FailureKind, unanswered
from ..privileges import not_allowed
from .errors import refused_setting
from .probe import address_of
from .silence import Silence
from .tokens import token_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..attempts import Patience
    from .settings import ClientSettings

# It raises RuntimeError if it finds no controller.
_RAISED: Final = (KafkaError, OSError, ValueError, RuntimeError)
_DENIED: Final = (
    "on the cluster Describe for access and users, DescribeConfigs for quotas, and to change them "
    "Alter and AlterConfigs"
)
_BY_PASSWORD: Final = frozenset({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})


class SecondClient:
    """Connects on first use. `send` returns the response, or a Failure that names the request.

    After an unanswered call, the next call gets a new client, because the old one may know only brokers that are gone.
    `servers` returns the addresses to start from, which must belong to the right cluster.
    """

    def __init__(
        self, settings: ClientSettings, servers: Callable[[], str] | None = None, silence: Silence | None = None
    ) -> None:
        self.settings = settings
        self._servers = servers or (lambda: settings.servers)
        self.silence = silence or Silence(settings)
        self._lock = threading.Lock()
        self._line: _Line | None = None

    def patient(self) -> Patience:
        """Repeats reads without an answer for as long as one request may take, or as the whole command has time."""
        return self.silence.patient()

    @property
    def servers(self) -> str:
        return self._servers()

    @property
    def can_log_in(self) -> bool:
        """Whether kafka-python supports the configured login."""
        try:
            client_options(self.settings)
        except UnknownLoginError:
            return False
        except (OSError, ValueError):
            return True  # another mistake, which the call reports
        return True

    def send(self, what: str, request: Any, node: int | None = None) -> Any:
        """Sends to one broker, or to the least busy one."""

        def sent(client: Any) -> Any:
            manager = client._manager  # noqa: SLF001 - no public method sends a custom message
            return manager.run(manager.send, request, node)

        return self.call(what, sent)

    def speaks(self, request: Any, version: int) -> bool:
        """Whether the brokers support this version of a request. True while that is unknown."""

        def known(client: Any) -> bool:
            return bool(client._manager.broker_version_data.api_version(request) >= version)  # noqa: SLF001

        answer = self.call("asking for the versions of requests", known)
        return answer is True or isinstance(answer, Failure)

    def call(self, what: str, use: Callable[[Any], Any]) -> Any:
        """The result of `use` with kafka-python's client, or a Failure."""
        asked = time.monotonic()
        try:
            line = self._taken()
        except _RAISED as error:
            return self._failure(what, error, asked)
        is_lost = False
        try:
            return self._within_time(partial(use, line.client))
        except _RAISED as error:
            is_lost = not isinstance(error, BrokerResponseError) or isinstance(error, NotControllerError)
            return self._failure(what, error, asked)
        finally:
            self._give_back(line, is_lost=is_lost)

    def _within_time(self, use: Callable[[], Any]) -> Any:
        """kafka-python's calls may send several requests, each with the whole timeout. A command has one for all."""
        if not self.silence.is_limited:
            return use()
        seconds, answers = self.silence.next, queue.SimpleQueue[tuple[Any, Exception | None]]()

        def run() -> None:
            try:
                answers.put((use(), None))
            except Exception as error:  # noqa: BLE001 - the caller raises it
                answers.put((None, error))

        threading.Thread(target=run, daemon=True).start()
        try:
            answer, error = answers.get(timeout=seconds)
        except queue.Empty:
            raise KafkaTimeoutError(f"no answer within {seconds:.1f} s") from None
        if error is not None:
            raise error
        return answer

    def _taken(self) -> _Line:
        with self._lock:
            if self._line is None:
                logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
                options = client_options(self.settings, self.servers, self.silence.next)
                self._line = _Line(_opened(options, is_limited=self.silence.is_limited))
            self._avoid_silent(self._line.client)
            self._line.calls += 1
            return self._line

    def _avoid_silent(self, client: Any) -> None:
        """Requests for brokers that do not answer fail at once, and others go elsewhere: the time is for the rest."""
        if not self.silence.addresses:
            return
        manager = client._manager  # noqa: SLF001 - no public method says which brokers to avoid
        for broker in manager.cluster.brokers():
            if address_of(broker.host, broker.port) in self.silence.addresses:
                manager._backoff[broker.node_id] = (1, float("inf"), 0.0)  # noqa: SLF001

    def _give_back(self, line: _Line, *, is_lost: bool) -> None:
        """The last call that uses a replaced client closes it."""
        with self._lock:
            line.calls -= 1
            if is_lost and self._line is line:
                self._line = None
            is_last = self._line is not line and line.calls == 0
        if is_last:
            line.client.close()

    def close(self) -> None:
        with self._lock:
            line, self._line = self._line, None
        if line is not None and line.calls == 0:
            line.client.close()

    def failed(self, what: str, code: int, message: str | None) -> Failure | None:
        """The failure for an error code in a response, or None."""
        if code == 0:
            return None
        return self._failure(what, for_code(code)(message or ""))

    def _failure(self, what: str, error: Exception, asked: float | None = None) -> Failure:
        name = type(error).__name__.removesuffix("Error")
        if isinstance(error, AuthorizationError):
            return not_allowed(what, f" ({name})", _DENIED)  # Kafka's text dumps the request
        if isinstance(error, WrongTlsError):
            return Failure(FailureKind.UNREACHABLE, str(refused_setting(self.settings, error)))
        if isinstance(error, ResourceNotFoundError | GroupIdNotFoundError | UnknownTopicOrPartitionError):
            kind = FailureKind.MISSING
        elif isinstance(error, RetriableError | OSError | UnknownBrokerIdError | RuntimeError):
            kind = FailureKind.UNCERTAIN
        else:
            kind = FailureKind.REJECTED
        said = error.args[0] if error.args and error.args[0] else getattr(error, "description", None) or name
        text = self.settings.redact(f"{said} ({name})")
        if kind is not FailureKind.UNCERTAIN:
            return Failure(kind, f"{what}: {text}", text)
        return unanswered(what, text, () if asked is None else self._silent_since(asked, error))

    def _silent_since(self, asked: float, error: Exception) -> tuple[str, ...]:
        """Counts the time since then, which brought no answer. Returns the addresses that do not answer."""
        self.silence.spend(time.monotonic() - asked)
        return () if isinstance(error, BrokerResponseError) else self.silence.look(self.servers.split(","))


class _Line:
    """One client, and how many calls use it now."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.calls = 0


class UnknownLoginError(ValueError):
    """kafka-python does not support this login."""


class WrongTlsError(ValueError):
    """A certificate or a key that cannot be read."""


def _opened(options: dict[str, Any], *, is_limited: bool) -> Any:
    """A client that has reached a broker. kafka-python gives all its time to one address: a command tries each."""
    addresses = options["bootstrap_servers"]
    if not is_limited or len(addresses) == 1:
        return KafkaAdminClient(**options)
    brief = max(options["bootstrap_timeout_ms"] // len(addresses), 1)
    for address in addresses[:-1]:
        try:
            return KafkaAdminClient(**{**options, "bootstrap_servers": [address], "bootstrap_timeout_ms": brief})
        except KafkaTimeoutError:
            continue
    return KafkaAdminClient(**{**options, "bootstrap_servers": addresses[-1:], "bootstrap_timeout_ms": brief})


def client_options(
    settings: ClientSettings, servers: str | None = None, longest: float | None = None
) -> dict[str, Any]:
    """librdkafka's settings as options of kafka-python. `longest` is how many seconds it may take to connect."""
    client = settings.client
    timeout = int(settings.request_timeout * 1000)
    protocol = client.get("security.protocol", "PLAINTEXT").upper()
    options: dict[str, Any] = {
        "bootstrap_servers": (servers or client["bootstrap.servers"]).split(","),
        "client_id": client.get("client.id", "kafka-topology"),
        "security_protocol": protocol,
        "request_timeout_ms": timeout,
        "bootstrap_timeout_ms": timeout if longest is None else min(timeout, max(int(longest * 1000), 1)),
    }
    if protocol.endswith("SSL"):
        options["ssl_context"] = tls_context(client)
    if protocol.startswith("SASL"):
        options |= _login(settings)
    return options


def _login(settings: ClientSettings) -> dict[str, Any]:
    client = settings.client
    mechanism = client.get("sasl.mechanism") or client.get("sasl.mechanisms") or ""
    if mechanism in _BY_PASSWORD:
        return {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": client.get("sasl.username", ""),
            "sasl_plain_password": client.get("sasl.password", ""),
        }
    source = token_source(settings) if mechanism == "OAUTHBEARER" else None
    if source is None:
        raise UnknownLoginError(
            f"the client for this request cannot log in by '{mechanism}' with these settings: use a password, "
            "AWS_MSK_IAM, or OAUTHBEARER with oauthTokenUrl"
        )
    return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": _Tokens(source)}


class _Tokens(AbstractTokenProvider):  # type: ignore[misc]  # untyped
    def __init__(self, source: Callable[[], str]) -> None:
        self._source = source

    def token(self) -> str:
        return self._source()

    def extensions(self) -> dict[str, str]:
        return {}


def tls_context(client: Mapping[str, str]) -> ssl.SSLContext:
    try:
        return _context(client)
    except (OSError, ValueError) as error:  # the errors of ssl are among these
        given = ", ".join(sorted(name for name in client if name.startswith("ssl.") and "password" not in name))
        raise WrongTlsError(f"a certificate or key of {given} cannot be read: {error}") from None


def _context(client: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=client.get("ssl.ca.location"), cadata=_pem(client.get("ssl.ca.pem")))
    if client.get("ssl.endpoint.identification.algorithm") == "none":
        context.check_hostname = False
    if client.get("enable.ssl.certificate.verification") == "false":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    password = client.get("ssl.key.password")
    if client.get("ssl.certificate.location"):
        context.load_cert_chain(client["ssl.certificate.location"], client.get("ssl.key.location"), password)
    elif client.get("ssl.certificate.pem"):
        # Python reads keys from files only. This one is readable by its owner only and deleted at once.
        with tempfile.NamedTemporaryFile("w") as chain:
            chain.write(f"{_pem(client['ssl.certificate.pem'])}\n{_pem(client.get('ssl.key.pem'))}\n")
            chain.flush()
            context.load_cert_chain(chain.name, password=password)
    return context


def _pem(text: str | None) -> str | None:
    """PEM with its line breaks: librdkafka also takes them written as \\n."""
    return text.replace("\\n", "\n") if text else None
