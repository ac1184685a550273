"""Config changes in the form that confluent_kafka expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka.admin import AlterConfigOpType, ConfigEntry  # type: ignore[attr-defined]  # unmarked there

if TYPE_CHECKING:
    from .live.topics import ConfigChange


def entries(change: ConfigChange) -> list[ConfigEntry]:
    values = [ConfigEntry(k, v, incremental_operation=AlterConfigOpType.SET) for k, v in change.set.items()]
    defaults = [ConfigEntry(k, None, incremental_operation=AlterConfigOpType.DELETE) for k in change.reset]
    return values + defaults
