"""What `clients` prints for Go is code: options take what Go declares for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.code import as_native
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.validators import run

TOPICS = "version: 1\ntopics: {o: {partitions: 6, replication: 3}}\n"


def printed(library: str, config: str, folder: Path) -> tuple[str, set[str]]:
    group = f"{{topics: [o], start: earliest, library: {library}, config: {{{config}}}}}"
    (folder / "topology.yaml").write_text(f"{TOPICS}consumerGroups: {{g: {group}}}\n")
    topology = load(folder / "topology.yaml").topology
    assert topology is not None
    [client] = client_settings(topology)
    return as_native(client), {each.id for each in run(topology).findings} & {"KT430", "KT431", "KT503"}


@pytest.mark.parametrize(
    ("library", "config", "line", "ids"),
    [
        ("franz-go", "AutoCommitMarks: true", "\tkgo.AutoCommitMarks(),", set()),
        ("franz-go", "AutoCommitMarks: 5", None, {"KT431"}),
        ("franz-go", "ConsumeResetOffset: AtStart", "\tkgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),", set()),
        ("franz-go", "ConsumeResetOffset: AtEnd", None, {"KT503"}),
        ("franz-go", "ConsumeResetOffset: NewOffset().AtEnd()", None, {"KT503"}),
        ("franz-go", "ConsumeResetOffset: bogus", None, {"KT431"}),
        ("sarama", "Version: V2_8_0_0", "config.Version = sarama.V2_8_0_0", set()),
        ("sarama", "Version: sarama.V2_8_0_0", "config.Version = sarama.V2_8_0_0", set()),
        ("sarama", "Version: 2.8.0", None, {"KT431"}),
    ],
)
def test_options_of_go(library: str, config: str, line: str | None, ids: set[str], tmp_path: Path) -> None:
    text, found = printed(library, config, tmp_path)
    assert found == ids
    assert line is None or line in text.splitlines()


def test_an_option_that_is_false_is_left_out(tmp_path: Path) -> None:
    assert "AutoCommitMarks" not in printed("franz-go", "AutoCommitMarks: false", tmp_path)[0]
