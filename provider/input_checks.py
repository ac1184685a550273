"""Checks of single inputs that several kinds of resource share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .changes import CheckFailure, PropertyChange, change_between
from .config_values import as_text, normalise, same
from .properties import UNKNOWN, reveal, rewrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .properties import Properties, Value


def plain(inputs: Properties, name: str) -> Value:
    return reveal(inputs.get(name))


def config_as_text(config: Value) -> Value:
    if not isinstance(config, dict):
        return config
    return {key: rewrap(value, as_text) for key, value in config.items() if reveal(value) is not None}


def wrong_config(inputs: Properties) -> Iterator[CheckFailure]:
    config = plain(inputs, "config")
    if isinstance(config, dict):
        for key, value in config.items():
            if not isinstance(value, str) and value is not UNKNOWN:
                yield CheckFailure(f'config["{key}"]', f"{value!r} is no config value: give text or a number.")
    elif config is not None and config is not UNKNOWN:
        yield CheckFailure("config", f"{config!r} is not a map of config keys to values.")


def config_changes(old: Value, new: Value) -> Iterator[PropertyChange]:
    if new is UNKNOWN:
        yield from change_between("config", old, new)
        return
    before = old if isinstance(old, dict) else {}
    after = new if isinstance(new, dict) else {}
    for key in sorted({*before, *after}):
        values = (normalise(value) if isinstance(value, str) else value for value in (before.get(key), after.get(key)))
        yield from change_between(f'config["{key}"]', *values)


def wrong_choice(name: str, inputs: Properties, choices: tuple[str, ...]) -> Iterator[CheckFailure]:
    value = plain(inputs, name)
    if value is not None and value is not UNKNOWN and value not in choices:
        yield CheckFailure(name, f"{value!r} is not one of {', '.join(choices)}.")


def shown_config(live: Mapping[str, str], old: Properties) -> dict[str, Value]:
    """The live values of the declared keys; for an import, which declares nothing, all of them."""
    if not old:
        return dict(live)
    declared = plain(old, "config")
    if not isinstance(declared, dict):
        return {}
    shown: dict[str, Value] = {}
    for key, value in declared.items():
        if key in live:
            unchanged = isinstance(value, str) and same(value, live[key])
            shown[key] = value if unchanged else live[key]
    return shown
