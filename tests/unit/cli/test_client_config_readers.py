"""A file with a password that others can read: the command says so, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.cli.connecting.given import given_settings


@pytest.mark.parametrize(
    ("text", "mode", "warned"),
    [
        ("sasl.password=hunter2\n", 0o644, True),
        ("sasl.password=hunter2\n", 0o640, True),
        ("ssl.key.pem=hunter2\n", 0o604, True),
        ("sasl.jaas.config=hunter2\n", 0o644, True),
        ("sasl.password=hunter2\n", 0o600, False),
        ("sasl.password=hunter2\n", 0o400, False),
        ("bootstrap.servers=localhost:9092\n", 0o644, False),
    ],
)
def test_the_mode_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, mode: int, *, warned: bool
) -> None:
    file = tmp_path / "client.properties"
    file.write_text(text)
    file.chmod(mode)
    assert given_settings(None, file) == dict([text.strip().split("=", 1)])
    said = capsys.readouterr().err
    assert ("other users of this machine can read it" in said) is warned
    assert (f"run chmod 600 {file}" in said) is warned
    assert "hunter2" not in said
