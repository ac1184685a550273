"""kafka-python, for requests that librdkafka does not have or gets wrong. Connects with the same settings.

Only this module and those that send its messages use it. Its log is silenced, because it would write the settings.
"""

from __future__ import annotations

import logging
import ssl
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    BrokerResponseError,
    GroupIdNotFoundError,
    KafkaError,
    NotControllerError,
    ResourceNotFoundError,
    RetriableError,
    UnknownBrokerIdError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.net.sasl.oauth import AbstractTokenProvider

from ..outcomes import Failure, FailureKind, unanswered
from ..privileges import denied
from .errors import refused_setting
from .tokens import token_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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

    def __init__(self, settings: ClientSettings, servers: Callable[[], str] | None = None) -> None:
        self.settings = settings
        self._servers = servers or (lambda: settings.servers)
        self._lock = threading.Lock()
        self._line: _Line | None = None

    @property
    def timeout(self) -> float:
        return self.settings.request_timeout

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
        try:
            line = self._taken()
        except _RAISED as error:
            return self._failure(what, error)
        is_lost = False
        try:
            return use(line.client)
        except _RAISED as error:
            is_lost = not isinstance(error, BrokerResponseError) or isinstance(error, NotControllerError)
            return self._failure(what, error)
        finally:
            self._give_back(line, is_lost=is_lost)

    def _taken(self) -> _Line:
        with self._lock:
            if self._line is None:
                logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
                self._line = _Line(KafkaAdminClient(**client_options(self.settings, self.servers)))
            self._line.calls += 1
            return self._line

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

    def _failure(self, what: str, error: Exception) -> Failure:
        name = type(error).__name__.removesuffix("Error")
        if isinstance(error, AuthorizationError):
            return Failure(FailureKind.DENIED, f"{denied(what, _DENIED)} ({name})")  # Kafka's text dumps the request
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
        return unanswered(what, text) if kind is FailureKind.UNCERTAIN else Failure(kind, f"{what}: {text}")


class _Line:
    """One client, and how many calls use it now."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.calls = 0


class UnknownLoginError(ValueError):
    """kafka-python does not support this login."""


class WrongTlsError(ValueError):
    """A certificate or a key that cannot be read."""


def client_options(settings: ClientSettings, servers: str | None = None) -> dict[str, Any]:
    """librdkafka's settings as options of kafka-python."""
    client = settings.client
    timeout = int(settings.request_timeout * 1000)
    protocol = client.get("security.protocol", "PLAINTEXT").upper()
    options: dict[str, Any] = {
        "bootstrap_servers": (servers or client["bootstrap.servers"]).split(","),
        "client_id": client.get("client.id", "kafka-topology"),
        "security_protocol": protocol,
        "request_timeout_ms": timeout,
        "bootstrap_timeout_ms": timeout,
    }
    if protocol.endswith("SSL"):
        options["ssl_context"] = _tls(client)
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


def _tls(client: Mapping[str, str]) -> ssl.SSLContext:
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
