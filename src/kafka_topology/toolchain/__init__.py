"""Jars of Kafka and Spark's connector in a per-user cache, and the java that runs them."""

from .bundles import BUNDLES, KAFKA, SPARK, Bundle, cache_root, kafka_jars, spark_jars
from .errors import FixableError, ToolchainError
from .fetch import ensure, ensure_kafka, ensure_spark
from .java import find_java

__all__ = [
    "BUNDLES",
    "KAFKA",
    "SPARK",
    "Bundle",
    "FixableError",
    "ToolchainError",
    "cache_root",
    "ensure",
    "ensure_kafka",
    "ensure_spark",
    "find_java",
    "kafka_jars",
    "spark_jars",
]
