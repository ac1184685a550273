"""One client configuration for both clients: librdkafka's names, translated for the Java client in Spark."""

from __future__ import annotations

from collections.abc import Mapping

_JAAS_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}
_SAME_NAME = frozenset({"bootstrap.servers", "client.id", "client.rack", "security.protocol", "ssl.cipher.suites"})
_TAKEN_TOGETHER = frozenset(
    {"sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password"}
    | {"ssl.ca.location", "ssl.endpoint.identification.algorithm"}
)


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


def for_java(client: Mapping[str, str]) -> dict[str, str]:
    """The same configuration for the Java client."""
    unknown = sorted(set(client) - _SAME_NAME - _TAKEN_TOGETHER)
    if unknown:
        known = ", ".join(sorted(_SAME_NAME | _TAKEN_TOGETHER))
        raise UntranslatableSetting(
            f"client setting {', '.join(unknown)} has no translation for Spark's Java client; known are {known}"
        )
    java = {name: value for name, value in client.items() if name in _SAME_NAME}
    java.update(_sasl(client))
    if "ssl.ca.location" in client:
        java["ssl.truststore.type"] = "PEM"
        java["ssl.truststore.location"] = client["ssl.ca.location"]
    if "ssl.endpoint.identification.algorithm" in client:
        # librdkafka says `none` where Java wants an empty text.
        algorithm = client["ssl.endpoint.identification.algorithm"]
        java["ssl.endpoint.identification.algorithm"] = "" if algorithm == "none" else algorithm
    return java


def _sasl(client: Mapping[str, str]) -> dict[str, str]:
    mechanism = client.get("sasl.mechanism") or client.get("sasl.mechanisms")
    if mechanism is None:
        return {}
    if mechanism not in _JAAS_MODULES:
        raise UntranslatableSetting(
            f"sasl.mechanism {mechanism} is not supported here; known are {', '.join(_JAAS_MODULES)}"
        )
    user, password = (_quoted(client.get(f"sasl.{name}", "")) for name in ("username", "password"))
    jaas = f"{_JAAS_MODULES[mechanism]} required username={user} password={password};"
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas}


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
