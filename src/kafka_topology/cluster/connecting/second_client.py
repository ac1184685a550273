"""kafka-python, for the requests that librdkafka lacks or gets wrong. Connected with the same settings.

Only this module and those that send its messages know it. Its log is silenced: it writes what it is configured with.
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
    KafkaError,
    ResourceNotFoundError,
    RetriableError,
    for_code,
)
from kafka.net.sasl.oauth import AbstractTokenProvider

from .outcomes import Failure, FailureKind
from .tokens import token_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .settings import Settings

_BY_PASSWORD: Final = frozenset({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})


class SecondClient:
    """Connects when first needed. `send` gives the response, or a Failure that says what was asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._client: Any = None

    def send(self, what: str, request: Any) -> Any:
        def sent(client: Any) -> Any:
            manager = client._manager  # noqa: SLF001 - it has no public way to send a message of one's own
            return manager.run(manager.send, request)

        return self.call(what, sent)

    def call(self, what: str, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of kafka-python's client, or a Failure."""
        try:
            return use(self._connected())
        except (KafkaError, OSError, ValueError) as error:
            return self._failure(what, error)

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
                self._client = KafkaAdminClient(**client_options(self._settings))
            return self._client

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()

    def failed(self, what: str, code: int, message: str | None) -> Failure | None:
        """What a broker's error code in a response says; None when it says that all is well."""
        if code == 0:
            return None
        return self._failure(what, for_code(code)(message or ""))

    def _failure(self, what: str, error: Exception) -> Failure:
        name = type(error).__name__.removesuffix("Error")
        if isinstance(error, AuthorizationError):
            # Kafka's own text for this is a dump of the request.
            text = (
                "the principal may not do this: on the cluster it needs Describe for access and users, DescribeConfigs "
                "for quotas, and to change them Alter and AlterConfigs"
            )
            return Failure(FailureKind.DENIED, f"{what}: {text} ({name})")
        if isinstance(error, ResourceNotFoundError):
            kind = FailureKind.MISSING
        elif isinstance(error, RetriableError | OSError):
            kind = FailureKind.UNCERTAIN
        else:
            kind = FailureKind.REJECTED
        said = error.args[0] if error.args and error.args[0] else getattr(error, "description", None) or name
        return Failure(kind, self._settings.redact(f"{what}: {said} ({name})"))


def client_options(settings: Settings) -> dict[str, Any]:
    """The same connection as librdkafka's, in kafka-python's words."""
    client = settings.client
    timeout = int(settings.request_timeout * 1000)
    protocol = client.get("security.protocol", "PLAINTEXT").upper()
    options: dict[str, Any] = {
        "bootstrap_servers": client["bootstrap.servers"].split(","),
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


def _login(settings: Settings) -> dict[str, Any]:
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
        raise ValueError(
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
        # Python reads a key from files only: this one is readable by its owner alone, and gone at once.
        with tempfile.NamedTemporaryFile("w") as chain:
            chain.write(f"{_pem(client['ssl.certificate.pem'])}\n{_pem(client.get('ssl.key.pem'))}\n")
            chain.flush()
            context.load_cert_chain(chain.name, password=password)
    return context


def _pem(text: str | None) -> str | None:
    """PEM with its line breaks: librdkafka also takes them written as \\n."""
    return text.replace("\\n", "\n") if text else None
