"""The provider's config: from the stack's values and the environment to librdkafka's settings.

A stack's config sends all values as text, and a program sends them as they are, so lists and maps are accepted in both
forms.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.secrets import names_secret

from ..plugin.properties import UNKNOWN, as_secret, has_secret, has_unknown, reveal
from ..resources.changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from .numbers import finite, number_of, wrong_numbers
from .ownership import owned_by, wrong_ownership
from .rule_choices import RuleChoices, parse_rules, wrong_rules
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..plugin.properties import Properties, Value


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key of the provider's config. `client` is the librdkafka setting that it sets."""

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
    ConfigKey("undeclaredConfig"),
    ConfigKey("rules"),
    ConfigKey("clusterId"),
    ConfigKey("offlinePreview", environment="KAFKA_TOPOLOGY_OFFLINE_PREVIEW"),
)
# The plugin adds this to the provider's inputs: the cluster of the last run.
CONNECTED: Final = "connectedCluster"
# The Pulumi program reads these from the same namespace; the provider ignores them.
PROGRAM_KEYS: Final = frozenset({"path", "environment", "resources"})
# The engine keeps its own notes among a provider's inputs.
ENGINE_KEYS: Final = frozenset(
    {"version", "pluginDownloadURL", "pluginChecksums", "parameterization", "__internal", CONNECTED}
)
# Not a mechanism of Kafka: tokens of AWS's signer, sent as OAUTHBEARER.
MSK_IAM: Final = "AWS_MSK_IAM"
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", MSK_IAM, "GSSAPI")
UNDECLARED: Final = ("keep", "remove")
_OAUTH: Final = {
    "oauthTokenUrl": "the token endpoint of the OAuth server (or KAFKA_OAUTH_TOKEN_URL)",
    "oauthClientId": "the client's id at the OAuth server (or KAFKA_OAUTH_CLIENT_ID)",
    "oauthClientSecret": "the client's secret at the OAuth server (or KAFKA_OAUTH_CLIENT_SECRET)",
}
_MECHANISM_SETTINGS: Final = frozenset({"sasl.mechanism", "sasl.mechanisms"})
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


@dataclass(frozen=True, slots=True)
class MissingKey:
    name: str
    description: str


def check_config(new: Properties) -> Checked:
    """Checks the config. Secret keys become secrets, even if the user forgot to mark them."""
    inputs = {key: value for key, value in new.items() if key not in PROGRAM_KEYS}
    known = {key.name for key in KEYS}
    failures = [
        *unknown_inputs([key for key in inputs if key not in ENGINE_KEYS], known),
        *_wrong_choices(inputs),
        *wrong_numbers(inputs),
        *_wrong_switches(inputs),
        *wrong_ownership(_structured(inputs.get("ownership"))),
        *_wrong_client_settings(_structured(inputs.get("librdkafka"))),
        *wrong_rules(_structured(inputs.get("rules"))),
    ]
    for key in KEYS:
        if key.secret and key.name in inputs:
            inputs[key.name] = as_secret(inputs[key.name])
    return Checked(inputs, tuple(failures))


def diff_config(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    """Reports every change as an update in place: replacing a provider would replace all its resources."""
    changes: list[PropertyChange] = []
    for name in (*(key.name for key in KEYS), CONNECTED):
        before, after = (_structured(side.get(name)) for side in (old, new))
        changes += change_between(name, before, after)
    return tuple(changes)


def rule_choices(inputs: Properties) -> RuleChoices:
    """The choices in checked inputs; none while they are unknown."""
    rules = _structured(inputs.get("rules"))
    return RuleChoices() if has_unknown(rules) else parse_rules(rules)


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
    login = next((name for name in ("saslUsername", "saslPassword") if _given(name, inputs, environment)), None)
    settings = _structured(inputs.get("librdkafka"))
    if login and not mechanism and not (isinstance(settings, dict) and settings.keys() & _MECHANISM_SETTINGS):
        missing.append(
            MissingKey(
                "saslMechanism",
                f"how to log in, because {login} is given and would not be used: {', '.join(MECHANISMS)} (or "
                "KAFKA_SASL_MECHANISM)",
            )
        )
    if mechanism == MSK_IAM and not _given("awsRegion", inputs, environment):
        missing.append(MissingKey("awsRegion", "the region of the Amazon MSK cluster (or AWS_REGION)"))
    extra = _structured(inputs.get("librdkafka"))
    has_login = isinstance(extra, dict) and any(name.startswith("sasl.oauthbearer.") for name in extra)
    if mechanism == "OAUTHBEARER" and not has_login:
        missing += [
            MissingKey(name, description)
            for name, description in _OAUTH.items()
            if not _given(name, inputs, environment)
        ]
    return tuple(missing)


def _given(name: str, inputs: Properties, environment: Mapping[str, str]) -> Value:
    """The value from the stack's config, or else from the environment."""
    key = next(key for key in KEYS if key.name == name)
    return reveal(inputs.get(name)) or environment.get(key.environment or "")


def resolve(inputs: Properties, environment: Mapping[str, str]) -> Settings | None:
    """The settings, or None while one of the values is unknown."""
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
            if key.secret or has_secret(relevant.get(key.name)):
                secrets |= {str(value), *_addresses(key, str(value))}
    extra = _structured(relevant.get("librdkafka"))
    if isinstance(extra, dict):
        client |= {name: _setting(value) for name, value in extra.items()}
        secrets |= {text for name, text in client.items() if name in extra and names_secret(name)}
    client.setdefault("security.protocol", _protocol(client))
    msk_region = None
    if client.get("sasl.mechanism") == MSK_IAM:
        client["sasl.mechanism"] = "OAUTHBEARER"
        msk_region = str(_given("awsRegion", relevant, environment))
    elif "sasl.oauthbearer.token.endpoint.url" in client:
        client.setdefault("sasl.oauthbearer.method", "oidc")
    defaults = Settings(servers="", client={})
    chosen = reveal(relevant.get("clusterId"))
    connected = reveal(inputs.get(CONNECTED))
    return Settings(
        servers=client["bootstrap.servers"],
        client=client,
        secrets=frozenset(secrets),
        request_timeout=number_of(relevant, "requestTimeout", defaults.request_timeout),
        operation_timeout=number_of(relevant, "operationTimeout", defaults.operation_timeout),
        max_deletes=int(number_of(relevant, "maxDeletes", defaults.max_deletes)),
        replication_throttle=int(number_of(relevant, "replicationThrottle", defaults.replication_throttle)),
        owned=owned_by(_structured(relevant.get("ownership"))),
        removes_undeclared=reveal(relevant.get("undeclaredConfig")) == "remove",
        rules=rule_choices(relevant),
        msk_region=msk_region,
        cluster_id=str(chosen or connected) if chosen or isinstance(connected, str) else None,
        cluster_is_chosen=bool(chosen),
        offline_preview=str(_given("offlinePreview", relevant, environment)).lower() == "true",
    )


def _protocol(client: Mapping[str, str]) -> str:
    if "sasl.mechanism" in client:
        return "SASL_SSL"
    return "SSL" if any(name.startswith("ssl.") for name in client) else "PLAINTEXT"


def _addresses(key: ConfigKey, value: str) -> set[str]:
    """Messages name the brokers of a list one by one."""
    return {each.strip() for each in value.split(",")} if key.name == "bootstrapServers" else set()


def _setting(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _structured(value: Value) -> Value:
    plain = reveal(value)
    if isinstance(plain, str) and plain[:1] in {"{", "["}:
        try:
            return _from_json(json.loads(plain, parse_float=finite, parse_constant=finite))
        except ValueError:
            return plain
    return plain


def _from_json(value: object) -> Value:
    if isinstance(value, dict):
        return {str(key): _from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else None


def _wrong_switches(inputs: Properties) -> Iterator[CheckFailure]:
    value = reveal(inputs.get("offlinePreview"))
    if value not in (None, UNKNOWN) and str(value).lower() not in {"true", "false"}:
        yield CheckFailure("offlinePreview", f"{value!r} is neither true nor false.")


def _wrong_choices(inputs: Properties) -> Iterator[CheckFailure]:
    for name, choices in (
        ("securityProtocol", PROTOCOLS),
        ("saslMechanism", MECHANISMS),
        ("undeclaredConfig", UNDECLARED),
    ):
        value = reveal(inputs.get(name))
        if value is not None and value is not UNKNOWN and value not in choices:
            yield CheckFailure(name, f"{value!r} is not one of {', '.join(choices)}.")


def _wrong_client_settings(value: Value) -> Iterator[CheckFailure]:
    if value is not None and value is not UNKNOWN and not isinstance(value, dict):
        yield CheckFailure("librdkafka", "give a map of librdkafka settings to values.")
