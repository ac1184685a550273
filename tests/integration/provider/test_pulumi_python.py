"""The example in Python: the generated classes, two clusters, and the plugin as a bare executable on PATH."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from kafka_tools import Seen, everything_seen
from pulumi_project import PulumiProject

EXAMPLE = Path(__file__).parents[3] / "examples" / "pulumi-python"


@pytest.fixture
def project(kafka, secure_kafka, tmp_path):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    settings = (EXAMPLE / "Pulumi.yaml").read_text()
    assert "plugins" not in settings
    (project.root / "Pulumi.yaml").write_text(settings.replace("name: orders-in-python", "name: tried"))
    (project.root / "__main__.py").write_text(in_names_of_its_own((EXAMPLE / "__main__.py").read_text()))
    project.run("config", "rm", "kafka-topology:bootstrapServers")  # each provider has its own
    project.run("config", "set-all", "--plaintext", f"bootstrap={kafka.bootstrap_servers}", "--plaintext",
                f"mirror={secure_kafka.bootstrap_servers}", "--secret", "checkoutPassword=hunter2")  # fmt: skip
    return project


def in_names_of_its_own(program):
    """After a restart, a broker may show the config of a deleted topic on a later one of the same name."""
    return re.sub(r'"(User:)?shop', r'"\1kiosk', program)


def copied(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    topics = admin.list_topics(timeout=10).topics
    return len(topics["kiosk.orders"].partitions) if "kiosk.orders" in topics else 0


def test_the_example_in_python_on_two_clusters(project, kafka, secure_kafka):
    shown = project.preview() + project.up()
    assert everything_seen(kafka).about("kiosk") == Seen(
        topics={"kiosk.orders": (6, 1, {"retention.ms": "604800000"})},
        acls={
            "User:kiosk-checkout": {
                "ALLOW WRITE TOPIC LITERAL kiosk.orders *",
                "ALLOW DESCRIBE TOPIC LITERAL kiosk.orders *",
                "ALLOW WRITE TRANSACTIONAL_ID PREFIXED kiosk-checkout- *",
            }
        },
        users={"kiosk-checkout": "SCRAM-SHA-512=iterations=8192"},
        quotas={"user-principal 'kiosk-checkout'": {"producer_byte_rate": 5000000, "request_percentage": 50}},
        offsets={"kiosk.billing": {f"kiosk.orders-{partition}": 0 for partition in range(6)}},
        group_configs={},
    )
    assert copied(secure_kafka) == 6
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    outputs = json.loads(project.run("stack", "output", "--json"))
    assert outputs["undeclaredAccess"] == []
    assert outputs["billingLag"] == 0

    shown += project.run("stack", "export") + project.destroy()
    assert "hunter2" not in shown
    assert everything_seen(kafka).about("kiosk") == Seen({}, {}, {}, {}, {}, {})
    assert copied(secure_kafka) == 0


def test_a_type_checker_knows_the_classes(tmp_path):
    program = (EXAMPLE / "__main__.py").read_text()
    wrong = program.replace("partitions=6", 'partitions="six"').replace('"pattern"', '"patern"')
    assert "Success: no issues found" in checked(tmp_path / "right.py", program)
    assert "Found 2 errors in 1 file" in checked(tmp_path / "wrong.py", wrong)


def checked(file, text):
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(file.parent / "cache"), file.name]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False).stdout
