"""One client configuration for both clients: librdkafka's names, translated for the Java client in Spark.

Certificates and keys are given to Java as text, not as files: Spark may read Kafka on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kafka_topology.cluster.connecting.settings import ClientConfig

_LOGIN = "org.apache.kafka.common.security"
_JAAS_MODULES = {
    "PLAIN": f"{_LOGIN}.plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_LOGIN}.scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_LOGIN}.scram.ScramLoginModule",
    "OAUTHBEARER": f"{_LOGIN}.oauthbearer.OAuthBearerLoginModule",
}
_OIDC_HANDLER = f"{_LOGIN}.oauthbearer.OAuthBearerLoginCallbackHandler"
_SAME_NAME = frozenset({"bootstrap.servers", "client.id", "client.rack", "security.protocol", "ssl.cipher.suites"})
_SASL = frozenset({"sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password"})
_OAUTH = frozenset(
    {"enable.sasl.oauthbearer.unsecure.jwt", "sasl.oauthbearer.config", "sasl.oauthbearer.method"}
    | {f"sasl.oauthbearer.{name}" for name in ("client.id", "client.secret", "scope", "token.endpoint.url")}
    | {"sasl.oauthbearer.extensions"}
)
_TLS = frozenset(
    {"ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem", "ssl.key.location"}
    | {"ssl.key.pem", "ssl.key.password", "ssl.keystore.location", "ssl.keystore.password"}
    | {"ssl.endpoint.identification.algorithm"}
)
KNOWN = _SAME_NAME | _SASL | _OAUTH | _TLS
Read = Callable[[str], str]


class UntranslatableSetting(ValueError):
    """The Java client has no setting that means the same, so the two clients would not behave alike."""


def parse_properties(text: str) -> dict[str, str]:
    """`name=value` lines; `#` starts a comment line."""
    settings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals or not name.strip():
            # Only the name may be shown: a broken line can hold a password.
            raise ValueError(f"line {number} is not of the form name=value")
        settings[name.strip()] = value.strip()
    return settings


def for_java(client: Mapping[str, str], read: Read = lambda name: Path(name).read_text()) -> dict[str, str]:
    """The same configuration for the Java client. `read` gives the text of a file that the configuration names."""
    if isinstance(client, ClientConfig) and client.msk_region is not None:
        raise UntranslatableSetting(
            "the stack logs in with AWS_MSK_IAM, which record checks cannot use; pass --client-config with settings for"
            " SCRAM-SHA-512 or for a client certificate"
        )
    unknown = sorted(set(client) - KNOWN)
    if unknown:
        raise UntranslatableSetting(
            f"client setting {', '.join(unknown)} has no translation for Spark's Java client;"
            f" known are {', '.join(sorted(KNOWN))}"
        )
    java = {name: value for name, value in client.items() if name in _SAME_NAME}
    if "security.protocol" in java:
        java["security.protocol"] = java["security.protocol"].upper()  # librdkafka takes both
    return java | _sasl(client) | _trust(client, read) | _own_certificate(client, read)


def _sasl(client: Mapping[str, str]) -> dict[str, str]:
    mechanism = client.get("sasl.mechanism") or client.get("sasl.mechanisms")
    if mechanism is None:
        return {}
    if mechanism not in _JAAS_MODULES:
        raise UntranslatableSetting(
            f"sasl.mechanism {mechanism} is not supported here; known are {', '.join(_JAAS_MODULES)}"
        )
    if mechanism == "OAUTHBEARER":
        return {"sasl.mechanism": mechanism, **_oauth(client)}
    login = {"username": client.get("sasl.username", ""), "password": client.get("sasl.password", "")}
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": _jaas(mechanism, login)}


def _oauth(client: Mapping[str, str]) -> dict[str, str]:
    """Tokens from an OpenID provider, or unsigned ones for development."""
    if client.get("sasl.oauthbearer.method", "").lower() == "oidc":
        names = {"client.id": "clientId", "client.secret": "clientSecret", "scope": "scope"}
        given = {java: client.get(f"sasl.oauthbearer.{name}") for name, java in names.items()}
        options = {java: value for java, value in given.items() if value}
        for extension in filter(None, client.get("sasl.oauthbearer.extensions", "").split(",")):
            name, _, value = extension.partition("=")
            options[f"extension_{name.strip()}"] = value.strip()
        if "sasl.oauthbearer.token.endpoint.url" not in client:
            raise UntranslatableSetting("sasl.oauthbearer.method oidc needs sasl.oauthbearer.token.endpoint.url")
        return {
            "sasl.jaas.config": _jaas("OAUTHBEARER", options),
            "sasl.login.callback.handler.class": _OIDC_HANDLER,
            "sasl.oauthbearer.token.endpoint.url": client["sasl.oauthbearer.token.endpoint.url"],
        }
    if client.get("enable.sasl.oauthbearer.unsecure.jwt", "").lower() == "true":
        said = dict(part.partition("=")[::2] for part in client.get("sasl.oauthbearer.config", "").split())
        if unknown := sorted(set(said) - {"principal"}):
            raise UntranslatableSetting(f"sasl.oauthbearer.config: {', '.join(unknown)} has no translation for Java")
        return {"sasl.jaas.config": _jaas("OAUTHBEARER", {"unsecuredLoginStringClaim_sub": said.get("principal", "")})}
    raise UntranslatableSetting(
        "sasl.mechanism OAUTHBEARER needs sasl.oauthbearer.method=oidc with its token endpoint,"
        " or unsigned tokens for development"
    )


def _trust(client: Mapping[str, str], read: Read) -> dict[str, str]:
    java = {}
    certificates = _text(client, "ssl.ca", read)
    if certificates is not None:
        java = {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": certificates}
    if "ssl.endpoint.identification.algorithm" in client:
        # librdkafka says `none` where Java wants an empty text.
        algorithm = client["ssl.endpoint.identification.algorithm"]
        java["ssl.endpoint.identification.algorithm"] = "" if algorithm == "none" else algorithm
    return java


def _own_certificate(client: Mapping[str, str], read: Read) -> dict[str, str]:
    if "ssl.keystore.location" in client:
        # Binary, so it cannot be given as text: where Spark runs, the file must be there.
        java = {"ssl.keystore.type": "PKCS12", "ssl.keystore.location": client["ssl.keystore.location"]}
        password = client.get("ssl.keystore.password")
        return java if password is None else {**java, "ssl.keystore.password": password}
    chain, key = _text(client, "ssl.certificate", read), _text(client, "ssl.key", read)
    if chain is None and key is None:
        return {}
    if chain is None or key is None:
        raise UntranslatableSetting("a client certificate needs both ssl.certificate.location and ssl.key.location")
    if "PRIVATE KEY-----" in key and "-----BEGIN PRIVATE" not in key and "-----BEGIN ENCRYPTED PRIVATE" not in key:
        raise UntranslatableSetting(
            "Java reads the client's key as PKCS#8 only: openssl pkcs8 -topk8 -in old.key -out new.key"
        )
    java = {"ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": chain, "ssl.keystore.key": key}
    password = client.get("ssl.key.password")
    return java if password is None else {**java, "ssl.key.password": password}


def _text(client: Mapping[str, str], name: str, read: Read) -> str | None:
    """The text of the setting, or of the file that it names."""
    if f"{name}.pem" in client:
        return client[f"{name}.pem"]
    file = client.get(f"{name}.location")
    if file is None:
        return None
    try:
        return read(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else "it is not PEM text"
        raise UntranslatableSetting(f"{name}.location {file}: {reason}") from None


def _jaas(mechanism: str, options: Mapping[str, str]) -> str:
    said = "".join(f" {name}={_quoted(value)}" for name, value in options.items())
    return f"{_JAAS_MODULES[mechanism]} required{said};"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
