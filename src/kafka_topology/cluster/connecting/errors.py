"""Error messages for clients that cannot be created or cannot connect: they say what to change."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from ..outcomes import ClusterUnreachableError
from .probe import Listener, listener, unreached

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .settings import ClientSettings

HIGHEST_PORT: Final = 65535
LONGEST_TIMEOUT: Final = 3600.0  # the longest that librdkafka accepts
_LIBRARY: Final = re.compile(r"^Failed to create (?:admin client|consumer): |: ?error:[0-9A-F]{8}:.*$")
_NOT_KAFKA: Final = "Correct the address: what listens there does not speak Kafka's protocol."
# Texts of librdkafka, and what they usually mean. The first match counts.
_LIKELY: Final = (
    (
        "bad certificate",
        "The broker asks for a client certificate that it trusts: give the client's certificate and key.",
    ),
    (
        "connecting to a SSL listener",
        "The port seems to expect TLS, and the client sends plain text: set the security protocol to SSL or SASL_SSL.",
    ),
    (
        "connecting to a PLAINTEXT broker listener",
        "The port seems to expect no TLS: set the security protocol to PLAINTEXT or SASL_PLAINTEXT.",
    ),
    (
        "certificate verify failed",
        "The client does not trust who signed the broker's certificate: give that authority's certificate.",
    ),
    ("uthentication failed", "Check the user, the password and the SASL mechanism."),
    ("Connection refused", "Nothing listens at this address: start the brokers, or correct the address."),
    ("Failed to resolve", "The name is unknown: correct the address, or check the name service."),
    (
        "Request not valid in current SASL state",
        "The listener has no SASL login: use PLAINTEXT or SSL.",
    ),
    ("Invalid response size", _NOT_KAFKA),
    ("Unsupported SASL mechanism", "Use one of the mechanisms that the broker names."),
)
# By the protocol of the client: what a listener probably expects if it silently closes the connection.
_EXPECTED: Final = {
    "PLAINTEXT": "TLS or a SASL login",
    "SSL": "no TLS, or a SASL login",
    "SASL_PLAINTEXT": "TLS",
    "SASL_SSL": "another security protocol",
}
# librdkafka ends the name of a broker that another broker has named with its id: host:port/2.
_NAMED_BY_A_BROKER: Final = re.compile(r"/\d+: ")
_REFERS: Final = (
    "Kafka at {} answers, and the brokers that it names cannot be reached: {}. Start those brokers: without a majority "
    "of the controllers, the cluster does not answer. If they run, correct their `advertised.listeners`."
)
_OTHERWISE: Final = "Check that the brokers are up, and the address, TLS and SASL settings of the client."
_TEXT_FOR_PEM: Final = re.compile(r"\bssl\.(ca|certificate|key)\.pem\b")


class WrongSettingsError(ClusterUnreachableError):
    """The settings are invalid, so no client was created and nothing was sent."""


def refused_setting(settings: ClientSettings, error: Exception) -> WrongSettingsError:
    """The error for an exception that a client library raised while it read its settings."""
    reason = error.args[0] if error.args else error
    text = reason.str() if hasattr(reason, "str") else str(reason)
    text = _LIBRARY.sub("", text).rstrip(". ")
    begin = f"The client for Kafka at {settings.servers or 'no address'} cannot be set up"
    return WrongSettingsError(settings.redact(f"{begin}: {text}. {_advice(settings, text)}"))


def _advice(settings: ClientSettings, text: str) -> str:
    named = _TEXT_FOR_PEM.search(text)
    if named is not None and not settings.client.get(named[0], "").lstrip().startswith("-----BEGIN"):
        return (
            f"'{named[0]}' takes the PEM text itself, which begins with -----BEGIN, and got something else: give the "
            f"content of the file, or set 'ssl.{named[1]}.location' to its path."
        )
    if text.startswith("No such configuration property"):
        return "Correct the name: librdkafka has no setting of this name."
    return "Correct this setting."


def wrong_address(settings: ClientSettings) -> None:
    """Raises for an impossible port: librdkafka would silently use another one."""
    for address in settings.servers.split(","):
        port = address.strip().rpartition(":")[2]
        if port.isdecimal() and not 0 < int(port) <= HIGHEST_PORT:
            raise WrongSettingsError(
                f"The address '{address.strip()}' has no possible port: give a number from 1 to {HIGHEST_PORT}."
            )


def several_clusters(ids: Mapping[str, str]) -> WrongSettingsError:
    """`ids` has the cluster id of each address."""
    found = ", ".join(f"{address} to '{cluster}'" for address, cluster in ids.items())
    return WrongSettingsError(
        f"The addresses belong to different clusters: {found}. Nothing was changed. Give addresses of one cluster only."
    )


def wrong_timeout(settings: ClientSettings) -> None:
    """Raises if librdkafka does not accept the timeout."""
    seconds = settings.request_timeout
    if not (math.isfinite(seconds) and 0 < seconds <= LONGEST_TIMEOUT):
        raise WrongSettingsError(
            f"The timeout of a request is {seconds:g} s; it must be more than 0 and at most {LONGEST_TIMEOUT:g} s. "
            "Set 'requestTimeout' of the provider, or --timeout of the command."
        )


def not_reached(
    settings: ClientSettings, reasons: Sequence[str], seconds: float, probing: float
) -> ClusterUnreachableError:
    """`reasons` are the errors that the client reported within `seconds`. Without any, this probes the addresses.

    Probing takes at most the time in `probing`.
    """
    protocol = settings.client.get("security.protocol", "PLAINTEXT").upper()
    if reasons:
        named = "; ".join(reasons)
        others = [address.strip() for address in settings.servers.split(",") if address.strip() not in named]
        silent = unreached(others, probing)
        why = "; ".join((*reasons, *(f"{address} does not answer" for address in silent)))
        if not silent and all(_NAMED_BY_A_BROKER.search(reason) for reason in reasons):
            return ClusterUnreachableError(settings.redact(_REFERS.format(settings.servers, why.rstrip(". "))))
        advice = next((advice for begin, advice in _LIKELY if begin in why), _OTHERWISE)
    else:
        found = listener(settings.servers, probing)
        why = f"no answer within {seconds:.1f} s" + (f"; what listens there {found.value}" if found else "")
        advice = _seen(found, protocol)
    return ClusterUnreachableError(
        settings.redact(f"Kafka at {settings.servers} cannot be reached: {why.rstrip('. ')}. {advice}")
    )


def _seen(found: Listener | None, protocol: str) -> str:
    """Advice for a client with this protocol, by what the listener does."""
    expected = None
    if found is Listener.CLOSES:
        expected = _EXPECTED.get(protocol, "another protocol")
    elif found is Listener.TLS and not protocol.endswith("SSL"):
        expected = "TLS"
    elif found is Listener.KAFKA:
        expected = {"PLAINTEXT": "a SASL login", "SSL": "no TLS", "SASL_SSL": "no TLS"}.get(protocol)
    if expected:
        return (
            f"The listener probably expects {expected}, and the client uses {protocol}: set the security protocol, "
            "and for SASL the mechanism, as the listener has them."
        )
    if found is Listener.SILENT:
        return "The broker may hang or be overloaded: look at it, or correct the address."
    return _NOT_KAFKA if found is Listener.OTHER else _OTHERWISE
