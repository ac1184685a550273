"""The provider's config: from the stack's values and the environment to librdkafka's settings.

Values reach the plugin from a stack's config as text, and from a program as they are, so lists and
maps are taken in both forms.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from .properties import UNKNOWN, as_secret, has_unknown, reveal
from .settings import Owned, Settings, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .properties import Properties, Value


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key of the provider's config. `client` is the librdkafka setting it stands for."""

    name: str
    client: str | None = None
    environment: str | None = None
    secret: bool = False


KEYS: Final = (
    ConfigKey("bootstrapServers", "bootstrap.servers", "KAFKA_BOOTSTRAP_SERVERS"),
    ConfigKey("securityProtocol", "security.protocol", "KAFKA_SECURITY_PROTOCOL"),
    ConfigKey("saslMechanism", "sasl.mechanism", "KAFKA_SASL_MECHANISM"),
    ConfigKey("saslUsername", "sasl.username", "KAFKA_SASL_USERNAME"),
    ConfigKey("saslPassword", "sasl.password", "KAFKA_SASL_PASSWORD", secret=True),
    ConfigKey("oauthTokenUrl", "sasl.oauthbearer.token.endpoint.url", "KAFKA_OAUTH_TOKEN_URL"),
    ConfigKey("oauthClientId", "sasl.oauthbearer.client.id", "KAFKA_OAUTH_CLIENT_ID"),
    ConfigKey("oauthClientSecret", "sasl.oauthbearer.client.secret", "KAFKA_OAUTH_CLIENT_SECRET", secret=True),
    ConfigKey("oauthScope", "sasl.oauthbearer.scope", "KAFKA_OAUTH_SCOPE"),
    ConfigKey("awsRegion", environment="AWS_REGION"),
    ConfigKey("tlsCaCertificate", "ssl.ca.pem", "KAFKA_TLS_CA_CERTIFICATE"),
    ConfigKey("tlsCertificate", "ssl.certificate.pem", "KAFKA_TLS_CERTIFICATE"),
    ConfigKey("tlsKey", "ssl.key.pem", "KAFKA_TLS_KEY", secret=True),
    ConfigKey("tlsKeyPassword", "ssl.key.password", "KAFKA_TLS_KEY_PASSWORD", secret=True),
    ConfigKey("librdkafka", secret=True),
    ConfigKey("requestTimeout"),
    ConfigKey("operationTimeout"),
    ConfigKey("maxDeletes"),
    ConfigKey("replicationThrottle"),
    ConfigKey("ownership"),
)
# The Pulumi program reads these from the same namespace; they are none of the provider's business.
PROGRAM_KEYS: Final = frozenset({"path", "environment"})
# The engine keeps its own notes among a provider's inputs.
ENGINE_KEYS: Final = frozenset({"version", "pluginDownloadURL", "pluginChecksums", "parameterization", "__internal"})
_OWNED: Final = ("topics", "groups", "principals")
# Not a mechanism of Kafka's: tokens that AWS's signer makes, sent as OAUTHBEARER.
MSK_IAM: Final = "AWS_MSK_IAM"
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", MSK_IAM, "GSSAPI")
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_NUMBERS: Final = ("requestTimeout", "operationTimeout", "maxDeletes", "replicationThrottle")


@dataclass(frozen=True, slots=True)
class MissingKey:
    name: str
    description: str


def check_config(new: Properties) -> Checked:
    """Secret keys come out as secrets, also when the user forgot to mark them."""
    inputs = {key: value for key, value in new.items() if key not in PROGRAM_KEYS}
    known = {key.name for key in KEYS}
    failures = [
        *unknown_inputs([key for key in inputs if key not in ENGINE_KEYS], known),
        *_wrong_choices(inputs),
        *_wrong_numbers(inputs),
        *_wrong_ownership(_structured(inputs.get("ownership"))),
        *_wrong_client_settings(_structured(inputs.get("librdkafka"))),
    ]
    for key in KEYS:
        if key.secret and key.name in inputs:
            inputs[key.name] = as_secret(inputs[key.name])
    return Checked(inputs, tuple(failures))


def diff_config(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    """Every change is one in place: a provider that is replaced would replace all its topics."""
    changes: list[PropertyChange] = []
    for key in KEYS:
        before, after = (_structured(side.get(key.name)) for side in (old, new))
        changes += change_between(key.name, before, after)
    return tuple(changes)


def missing_keys(inputs: Properties, environment: Mapping[str, str]) -> tuple[MissingKey, ...]:
    missing = []
    if not _given("bootstrapServers", inputs, environment):
        missing.append(
            MissingKey(
                "bootstrapServers",
                "the brokers to connect to first, as host:port,host:port (or KAFKA_BOOTSTRAP_SERVERS)",
            )
        )
    mechanism = _given("saslMechanism", inputs, environment)
    if mechanism == MSK_IAM and not _given("awsRegion", inputs, environment):
        missing.append(MissingKey("awsRegion", "the region of the Amazon MSK cluster (or AWS_REGION)"))
    return tuple(missing)


def _given(name: str, inputs: Properties, environment: Mapping[str, str]) -> Value:
    """What the stack's config says, or else the environment."""
    key = next(key for key in KEYS if key.name == name)
    return reveal(inputs.get(name)) or environment.get(key.environment or "")


def resolve(inputs: Properties, environment: Mapping[str, str]) -> Settings | None:
    """The settings, or None while a value of them is not known yet."""
    relevant = {key.name: inputs[key.name] for key in KEYS if key.name in inputs}
    if has_unknown(relevant):
        return None
    client: dict[str, str] = {}
    secrets: set[str] = set()
    for key in KEYS:
        if key.client is None:
            continue
        value = _given(key.name, relevant, environment)
        if value:
            client[key.client] = str(value)
            if key.secret:
                secrets.add(str(value))
    extra = _structured(relevant.get("librdkafka"))
    if isinstance(extra, dict):
        client |= {name: _setting(value) for name, value in extra.items()}
        secrets |= {text for name, text in client.items() if name in extra and is_secret(name)}
    client.setdefault("security.protocol", _protocol(client))
    msk_region = None
    if client.get("sasl.mechanism") == MSK_IAM:
        client["sasl.mechanism"] = "OAUTHBEARER"
        msk_region = str(_given("awsRegion", relevant, environment))
    elif "sasl.oauthbearer.token.endpoint.url" in client:
        client.setdefault("sasl.oauthbearer.method", "oidc")
    defaults = Settings(servers="", client={})
    return Settings(
        servers=client["bootstrap.servers"],
        client=client,
        secrets=frozenset(secrets),
        request_timeout=_number(relevant, "requestTimeout", defaults.request_timeout),
        operation_timeout=_number(relevant, "operationTimeout", defaults.operation_timeout),
        max_deletes=int(_number(relevant, "maxDeletes", defaults.max_deletes)),
        replication_throttle=int(_number(relevant, "replicationThrottle", defaults.replication_throttle)),
        owned=_owned(_structured(relevant.get("ownership"))),
        msk_region=msk_region,
    )


def _protocol(client: Mapping[str, str]) -> str:
    if "sasl.mechanism" in client:
        return "SASL_SSL"
    return "SSL" if any(name.startswith("ssl.") for name in client) else "PLAINTEXT"


def _setting(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _structured(value: Value) -> Value:
    plain = reveal(value)
    if isinstance(plain, str) and plain[:1] in {"{", "["}:
        try:
            return _from_json(json.loads(plain))
        except ValueError:
            return plain
    return plain


def _from_json(value: object) -> Value:
    if isinstance(value, dict):
        return {str(key): _from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else None


def _number(inputs: Properties, name: str, default: float) -> float:
    value = reveal(inputs.get(name))
    return float(value) if isinstance(value, int | float | str) and value != "" else default


def _wrong_numbers(inputs: Properties) -> Iterator[CheckFailure]:
    for name in _NUMBERS:
        value = reveal(inputs.get(name))
        if value is None or value is UNKNOWN:
            continue
        try:
            valid = float(str(value)) >= 0
        except ValueError:
            valid = False
        if not valid:
            yield CheckFailure(name, f"{value!r} is not a number of at least 0.")


def _wrong_choices(inputs: Properties) -> Iterator[CheckFailure]:
    for name, choices in (("securityProtocol", PROTOCOLS), ("saslMechanism", MECHANISMS)):
        value = reveal(inputs.get(name))
        if value is not None and value is not UNKNOWN and value not in choices:
            yield CheckFailure(name, f"{value!r} is not one of {', '.join(choices)}.")


def _wrong_ownership(value: Value) -> Iterator[CheckFailure]:
    if value is None or value is UNKNOWN:
        return
    if not isinstance(value, dict):
        yield CheckFailure("ownership", f"give a map with lists of prefixes: {', '.join(_OWNED)}.")
        return
    yield from unknown_inputs(value, _OWNED)
    for name, prefixes in value.items():
        is_list = isinstance(prefixes, list) and all(isinstance(p, str) for p in prefixes)
        if prefixes is not None and prefixes is not UNKNOWN and not is_list:
            yield CheckFailure(f"ownership.{name}", f"{prefixes!r} is not a list of prefixes.")


def _wrong_client_settings(value: Value) -> Iterator[CheckFailure]:
    if value is not None and value is not UNKNOWN and not isinstance(value, dict):
        yield CheckFailure("librdkafka", "give a map of librdkafka settings to values.")


def _owned(value: Value) -> Owned:
    if not isinstance(value, dict):
        return Owned()
    sections = (value.get(name) for name in _OWNED)
    return Owned(*(tuple(map(str, section)) if isinstance(section, list) else None for section in sections))
