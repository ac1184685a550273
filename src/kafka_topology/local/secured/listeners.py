"""The secured listeners: the settings of brokers and clients for them. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..errors import SettingsError
from .credentials import ADMIN, APP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .certificates import Certificates
    from .credentials import Credentials

Listener = Literal["PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL", "SSL"]
Mechanism = Literal["SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN", "OAUTHBEARER"]

# Named as their protocols are.
SECURED: tuple[Listener, ...] = ("SASL_PLAINTEXT", "SASL_SSL", "SSL")
MECHANISMS: tuple[Mechanism, ...] = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN", "OAUTHBEARER")
_SASL = ("SASL_PLAINTEXT", "SASL_SSL")
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"


def security_properties(credentials: Credentials, certificates: Certificates) -> dict[str, str]:
    """A broker's, over those of a plain one. SCRAM users are in the cluster, not here.

    Tokens are not signed (Kafka's own handlers for development): the broker trusts the name in a token.
    """
    logins = {
        "scram-sha-256": _jaas(_SCRAM),
        "scram-sha-512": _jaas(_SCRAM),
        "plain": _jaas(_PLAIN, {f"user_{user}": password for user, password in credentials.passwords.items()}),
        "oauthbearer": _jaas(_OAUTH, {"unsecuredLoginStringClaim_sub": ADMIN}),
    }
    values = {
        "super.users": f"User:ANONYMOUS;User:{ADMIN}",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.broker),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.ca),
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.principal.mapping.rules": "RULE:^(?:.*,)?CN=([^,]+).*$/$1/,DEFAULT",
    }
    for listener in _SASL:
        for mechanism, login in logins.items():
            values[f"listener.name.{listener.lower()}.{mechanism}.sasl.jaas.config"] = login
    return values


@dataclass(frozen=True)
class Login:
    """How a client connects: as which user, by which listener and mechanism, with what."""

    listener: Listener
    user: str
    mechanism: Mechanism
    credentials: Credentials
    certificates: Certificates

    @property
    def is_by_token(self) -> bool:
        return self.mechanism == "OAUTHBEARER"

    @property
    def password(self) -> str:
        """Raises if there is no such user."""
        known = self.credentials.passwords
        if self.user not in known:
            raise SettingsError(f"There is no user {self.user!r}.", f"Known: {', '.join(known)}.")
        return known[self.user]


def librdkafka_settings(login: Login) -> dict[str, str]:
    """What a client needs besides the addresses."""
    values = _protocol(login)
    if login.listener in _SASL:
        if login.is_by_token:
            values["enable.sasl.oauthbearer.unsecure.jwt"] = "true"
            values["sasl.oauthbearer.config"] = f"principal={login.user}"
        else:
            values["sasl.username"] = login.user
            values["sasl.password"] = login.password
    if login.listener.endswith("SSL"):
        values["ssl.ca.location"] = str(login.certificates.ca)
    if login.listener == "SSL":
        values["ssl.certificate.location"] = str(login.certificates.client)
        values["ssl.key.location"] = str(login.certificates.client_key)
    return values


def java_settings(login: Login) -> dict[str, str]:
    """The same for Java clients; Spark wants each with `kafka.` before it."""
    values = _protocol(login)
    if login.listener in _SASL:
        if login.is_by_token:
            jaas = _jaas(_OAUTH, {"unsecuredLoginStringClaim_sub": login.user})
        else:
            module = _PLAIN if login.mechanism == "PLAIN" else _SCRAM
            jaas = _jaas(module, {"username": login.user, "password": login.password})
        values["sasl.jaas.config"] = jaas
    if login.listener.endswith("SSL"):
        values["ssl.truststore.type"] = "PKCS12"
        values["ssl.truststore.location"] = str(login.certificates.truststore)
        values["ssl.truststore.password"] = login.credentials.keystore_password
    if login.listener == "SSL":
        values["ssl.keystore.type"] = "PKCS12"
        values["ssl.keystore.location"] = str(login.certificates.keystore)
        values["ssl.keystore.password"] = login.credentials.keystore_password
    return values


def _protocol(login: Login) -> dict[str, str]:
    """The settings that clients of every library share. Raises if the user has no certificate for the listener."""
    if login.listener == "SSL" and login.user != APP:
        raise SettingsError(f"There is no certificate for {login.user!r}, only for {APP!r}.")
    values: dict[str, str] = {"security.protocol": login.listener}
    if login.listener in _SASL:
        values["sasl.mechanism"] = login.mechanism
    return values


def _jaas(module: str, options: Mapping[str, str] | None = None) -> str:
    words = [module, "required", *(f"{name}={_quoted(value)}" for name, value in (options or {}).items())]
    return " ".join(words) + ";"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
