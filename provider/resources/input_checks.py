"""Checks of single inputs that several kinds of resource share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.topology.kafka.equal import normal, same

from ..plugin.properties import UNKNOWN, Output, as_secret, has_secret, reveal, rewrap
from .changes import CheckFailure, PropertyChange, change_between, unknown_inputs
from .config_values import as_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kafka_topology.topology.kafka.catalogue import Scope

    from ..plugin.properties import Properties, Value


def plain(inputs: Properties, name: str) -> Value:
    return reveal(inputs.get(name))


def wrong_type(path: str, value: Value, kind: type, reason: str) -> Iterator[CheckFailure]:
    """A failure if the value is known and has the wrong type."""
    if value is not None and value is not UNKNOWN and not isinstance(value, kind):
        yield CheckFailure(path, reason)


def wrong_map(path: str, value: Value, known: Collection[str], reason: str) -> Iterator[CheckFailure]:
    """What is wrong with a map of these keys, without looking at its values."""
    yield from wrong_type(path, value, dict, reason)
    for failure in unknown_inputs(value, known) if isinstance(value, dict) else ():
        yield CheckFailure(f"{path}.{failure.property}", failure.reason)


def why_not_owned(what: str, name: str, owned: tuple[str, ...] | None, section: str = "the ownership") -> str | None:
    """Why the ownership forbids changes to this name, or None. Without prefixes, there is no limit."""
    if owned is None or name.startswith(owned):
        return None
    return (
        f"{what} is outside the ownership ({', '.join(owned) or 'nothing'}): add its prefix to {section}, or manage it "
        "where it belongs."
    )


def config_as_text(config: Value) -> Value:
    if not isinstance(config, dict):
        return config
    return {key: rewrap(value, as_text) for key, value in config.items() if reveal(value) is not None}


def config_keys(inputs: Properties) -> frozenset[str]:
    config = plain(inputs, "config")
    return frozenset(config) if isinstance(config, dict) else frozenset()


def wrong_config(inputs: Properties) -> Iterator[CheckFailure]:
    config = plain(inputs, "config")
    if isinstance(config, dict):
        for key, value in config.items():
            if not isinstance(value, str) and value is not UNKNOWN:
                yield CheckFailure(f'config["{key}"]', f"{value!r} is no config value: give text or a number.")
    elif config is not None and config is not UNKNOWN:
        yield CheckFailure("config", f"{config!r} is not a map of config keys to values.")


def config_changes(scope: Scope, old: Value, new: Value) -> Iterator[PropertyChange]:
    if new is UNKNOWN:
        yield from change_between("config", old, new)
        return
    before = old if isinstance(old, dict) else {}
    after = new if isinstance(new, dict) else {}
    for key in sorted({*before, *after}):
        given = (before.get(key), after.get(key))
        values = (normal(scope, key, value) if isinstance(value, str) else value for value in given)
        yield from change_between(f'config["{key}"]', *values)


def wrong_choice(name: str, inputs: Properties, choices: tuple[str, ...]) -> Iterator[CheckFailure]:
    value = plain(inputs, name)
    if value is not None and value is not UNKNOWN and value not in choices:
        yield CheckFailure(name, f"{value!r} is not one of {', '.join(choices)}.")


def undeclared_config(live: Mapping[str, str], inputs: Properties) -> dict[str, str]:
    """The settings that somebody else made on the cluster; none for an import, which takes all settings."""
    declared = plain(inputs, "config")
    keys = declared if isinstance(declared, dict) else {}
    return {key: value for key, value in sorted(live.items()) if key not in keys} if inputs else {}


def as_lines(config: Mapping[str, object]) -> list[Value]:
    return [f"{key}={value}" for key, value in config.items()]


def undeclared_warnings(what: str, undeclared: Mapping[str, object], removes: bool) -> tuple[str, ...]:
    if not undeclared:
        return ()
    listed = ", ".join(map(str, as_lines(undeclared)))
    if removes:
        return (f"{what} has settings that are not declared: {listed}. The next 'pulumi up' removes them.",)
    warning = (
        f"{what} has settings that are not declared and are left alone: {listed}. Declare them, or remove them: "
        "run 'pulumi config set kafka-topology:undeclaredConfig remove', 'pulumi up', 'pulumi refresh' and 'pulumi up'."
    )
    return (warning,)


def shown_config(scope: Scope, live: Mapping[str, str], old: Properties, removes: bool = False) -> dict[str, Value]:
    """The live values of the declared keys; for an import, which declares nothing, all of them.

    If undeclared ones are to be removed, they show too: the next run then removes them.
    """
    if not old:
        return dict(live)
    extra: dict[str, Value] = {**undeclared_config(live, old)} if removes else {}
    return {**_declared_config(scope, live, old), **extra}


def _declared_config(scope: Scope, live: Mapping[str, str], old: Properties) -> dict[str, Value]:
    declared = plain(old, "config")
    if not isinstance(declared, dict):
        return {}
    marked = old.get("config")
    shown: dict[str, Value] = {}
    for key, value in declared.items():
        if key in live:
            unchanged = isinstance(value, str) and same(scope, key, value, live[key])
            seen: Value = value if unchanged else live[key]
            # A secret stays a secret in the state, even if somebody else changed it.
            shown[key] = as_secret(seen) if _is_secret(marked, key) else seen
    return shown


def _is_secret(config: Value, key: str) -> bool:
    match config:
        case dict():
            return has_secret(config.get(key))
        case Output(inner, False):
            return _is_secret(inner, key)
        case _:
            return has_secret(config)
