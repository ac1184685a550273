"""The command line, called inside the test's own process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from kafka_topology.cli.main import main


def call(*arguments: str) -> Result:
    """What a command prints and its exit code. An exception that the command did not expect fails the test."""
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
