"""A real Kafka on this machine, for trying things and for tests."""

from .cluster import LocalCluster
from .errors import LocalClusterError, SettingsError
from .layout import default_data
from .status import BrokerStatus, ClusterStatus
from .tools import kafka_tool

__all__ = [
    "BrokerStatus",
    "ClusterStatus",
    "LocalCluster",
    "LocalClusterError",
    "SettingsError",
    "default_data",
    "kafka_tool",
]
