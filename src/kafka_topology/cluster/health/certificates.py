"""Reads the certificates that brokers show, with the TLS settings of the client."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from ..connecting.second_client import WrongTlsError, tls_context
from ..connecting.silence import Silence
from ..live.certificates import Certificate
from ..outcomes import Failure, FailureKind, Outcome, unanswered

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..connecting.settings import ClientSettings

_VERSION, _UTC_TIME, _TIME = 0xA0, 0x17, 0x18
_OUT_OF_TIME: Final = frozenset({9, 10})  # OpenSSL: not valid yet, and expired; also of an authority behind it
_LONG_FORM: Final = 0x80
_CENTURY: Final = 50  # years from 50 on mean 1950, as X.509 has it


def uses_tls(settings: ClientSettings) -> bool:
    return settings.client.get("security.protocol", "").upper().endswith("SSL")


def read_certificates(
    settings: ClientSettings, addresses: Collection[str], silence: Silence | None = None
) -> dict[str, Outcome[Certificate]]:
    """One connection to each address, and a second one without verification where the client refuses what it sees."""
    shared = silence or Silence(settings)
    return {address: _certificate(settings, address, shared) for address in addresses}


def _certificate(settings: ClientSettings, address: str, silence: Silence) -> Outcome[Certificate]:
    what = f"reading the certificate of {address}"
    refused: str | None = None
    try:
        context = tls_context(settings.client)
        with silence.asking() as seconds:
            try:
                shown = _shown(context, address, seconds)
            except ssl.SSLCertVerificationError as error:
                refused = error.verify_message if error.verify_code in _OUT_OF_TIME else None
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
                shown = _shown(context, address, seconds)
        return Certificate(address, *validity(shown), refused)
    except WrongTlsError as error:
        return Failure(FailureKind.UNREACHABLE, f"{what}: {settings.redact(str(error))}")
    except OSError as error:
        return unanswered(what, settings.redact(str(error) or type(error).__name__))
    except ValueError as error:
        return Failure(FailureKind.REJECTED, f"{what}: {error}")


def _shown(context: ssl.SSLContext, address: str, timeout: float) -> bytes:
    host, _, port = address.rpartition(":")
    name = host.strip("[]")
    with (
        socket.create_connection((name, int(port)), timeout) as plain,
        context.wrap_socket(plain, server_hostname=name) as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
    if not shown:
        raise ValueError("the broker shows no certificate")
    return shown


def validity(certificate: bytes) -> tuple[datetime, datetime]:
    """From when until when a certificate (DER) is valid. Raises ValueError if it cannot be read.

    Python reads a certificate only after it has verified it, so an expired one must be read here.
    """
    try:
        _, whole, _ = _element(certificate)
        _, signed, _ = _element(whole)
        tag, _, rest = _element(signed)
        if tag == _VERSION:
            _, _, rest = _element(rest)
        for _ in ("algorithm", "issuer"):
            _, _, rest = _element(rest)
        _, times, _ = _element(rest)
        first_tag, first, rest = _element(times)
        second_tag, second, _ = _element(rest)
        return _moment(first_tag, first), _moment(second_tag, second)
    except (IndexError, ValueError) as error:
        raise ValueError(f"its certificate cannot be read: {error}") from None


def _element(data: bytes) -> tuple[int, bytes, bytes]:
    """Tag and content of the first element, and what follows it."""
    tag, length, at = data[0], data[1], 2
    if length >= _LONG_FORM:
        at += length - _LONG_FORM
        length = int.from_bytes(data[2:at], "big")
    if len(data) < at + length:
        raise ValueError("it ends too early")
    return tag, data[at : at + length], data[at + length :]


def _moment(tag: int, text: bytes) -> datetime:
    if tag not in {_UTC_TIME, _TIME}:
        raise ValueError("no time")
    digits = text.decode("ascii")
    if tag == _UTC_TIME:
        digits = ("19" if int(digits[:2]) >= _CENTURY else "20") + digits
    return datetime.strptime(digits, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
