"""What can go wrong with a local cluster, and what to do about it."""

from __future__ import annotations

from kafka_topology.toolchain import RemedyError


class LocalClusterError(RemedyError):
    """The cluster could not be started, reached or stopped."""


class SettingsError(RemedyError):
    """What was asked for makes no sense, or does not fit what is there."""

    exit_code = 2


class PortTakenError(LocalClusterError):
    """A broker found its port taken."""
