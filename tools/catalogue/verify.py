"""Compares our judgement of config values with Kafka's own, text by text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka_topology.topology.kafka.catalogue import SCOPES, Catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.topology.kafka.config_key import ConfigKey

# Where we take more than Kafka does, because the form is no list, range or choice.
LOOSE_VALIDATORS = (
    "MetadataVersionValidator",
    "ControllerQuorumVotersValidator",
    "ControllerQuorumBootstrapServersValidator",
    "ThrottledReplicaListValidator",
    "ListSize",
)


def disagreements(dumps: Mapping[str, Mapping[str, Any]], data: Mapping[str, Any]) -> Iterator[str]:
    """A line for each text that Kafka judges or prints otherwise than the catalogue does."""
    for version, dump in dumps.items():
        catalogue = Catalogue(version, data)
        for scope in SCOPES:
            ours, raw = catalogue.scope(scope), dump["scopes"][scope]
            if ours.keys() != raw.keys():
                yield f"{version} {scope}: names differ: {sorted(ours.keys() ^ raw.keys())}"
                continue
            for name, key in ours.items():
                for line in _of_key(key, raw[name]):
                    yield f"{version} {scope} {name}: {line}"


def _of_key(key: ConfigKey, raw: Mapping[str, Any]) -> Iterator[str]:
    if key.default != raw["default"]:
        yield f"Kafka's default is {raw['default']!r}, ours {key.default!r}"
    loose = any(validator["class"].endswith(LOOSE_VALIDATORS) for validator in raw["validators"])
    for text, printed in raw["verdicts"].items():
        problem = key.problem(text)
        if printed is None:
            if problem is None and not loose and not _repeats(key, text):
                yield f"Kafka refuses {text!r}, we take it"
        elif problem is not None:
            yield f"Kafka takes {text!r}, we say that it {problem}"
        elif key.normal(text) != printed.strip():  # Dump prints a password as it was given
            yield f"Kafka prints {text!r} as {printed!r}, we as {key.normal(text)!r}"


def _repeats(key: ConfigKey, text: str) -> bool:
    """Since 4.2 Kafka drops repeated items before the validator, which we ask directly, can refuse them."""
    items = [item.strip() for item in text.split(",")]
    return key.distinct and "" not in items and len(set(items)) < len(items)
