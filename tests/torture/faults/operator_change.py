"""An operator changes a declared setting, and makes a topic that nobody declared."""

from __future__ import annotations

from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType

from ..parts import Fault


class OperatorChange(Fault):
    def begin(self, bench, running):
        admin = bench.admin()
        entry = ConfigEntry("retention.ms", "999999999", incremental_operation=AlterConfigOpType.SET)
        changed = ConfigResource(ResourceType.TOPIC, "t.orders", incremental_configs=[entry])
        for answer in admin.incremental_alter_configs([changed]).values():
            answer.result(60)
        bench.drifted = True
        name = f"other.new-{bench.turn}-{bench.chance.randrange(10**6)}"
        admin.create_topics([NewTopic(name, 1, 3)])[name].result(60)
        bench.outside.topics[name] = (1, 3, {})
        return f"retention of t.orders, and {name}"
