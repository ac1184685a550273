"""`kill -9` of Spark's driver, the Java process of a check; the command goes on."""

from __future__ import annotations

from ..parts import Fault


class SparkKilled(Fault):
    def suits(self, operation):
        return operation.by == "spark"

    def begin(self, bench, running):
        pids = running.kill_inside("org.apache.spark.deploy.SparkSubmit")
        return f"{len(pids)} driver" if pids else None
