"""What can go wrong with a local cluster, and what to do about it."""

from __future__ import annotations

from kafka_topology.toolchain import FixableError


class LocalClusterError(FixableError):
    """The cluster could not be started, reached or stopped."""


class SettingsError(FixableError):
    """The settings are impossible, or do not fit the existing cluster."""

    exit_code = 2


class PortTakenError(LocalClusterError):
    """A broker found its port taken."""
