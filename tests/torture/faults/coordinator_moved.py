"""The partitions of the offsets get other leaders: every group has another coordinator, and all brokers run."""

from __future__ import annotations

import json

from kafka_tools import run

from ..parts import Fault

TOPIC = "__consumer_offsets"


class CoordinatorMoved(Fault):
    def begin(self, bench, running):
        admin = bench.admin()
        partitions = admin.list_topics(TOPIC, timeout=30).topics[TOPIC].partitions
        by = bench.chance.choice((1, 2))
        rotated = {number: one.replicas[by:] + one.replicas[:by] for number, one in partitions.items()}
        rows = [{"topic": TOPIC, "partition": number} for number in rotated]
        moves = [{**row, "replicas": rotated[row["partition"]]} for row in rows]
        file = bench.folder / "moves.json"
        file.write_text(json.dumps({"version": 1, "partitions": moves}))
        run(bench.cluster, "kafka-reassign-partitions", "--execute", "--reassignment-json-file", str(file))
        file.write_text(json.dumps({"partitions": rows}))
        run(bench.cluster, "kafka-leader-election", "--election-type", "preferred", "--path-to-json-file", str(file))
        return f"{len(rows)} partitions moved by {by}"
