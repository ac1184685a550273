"""The executable that the engine starts: what it prints, how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

PLUGIN = Path(sys.executable).parent / "pulumi-resource-kafka-topology"


def started(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    return process, line


def test_it_prints_its_port_and_nothing_else_and_ends_on_a_signal():
    process, line = started([PLUGIN, "127.0.0.1:1"])
    assert 0 < int(line) < 65536
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=10)
    assert rest == ""
    assert process.returncode == 0


def test_it_ends_when_the_engine_was_killed():
    engine = (
        "import subprocess, time\n"
        f"plugin = subprocess.Popen(['{PLUGIN}'], stdout=subprocess.PIPE)\n"
        "plugin.stdout.readline()\n"
        "print(plugin.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    process, line = started([sys.executable, "-c", engine])
    plugin = int(line)
    process.kill()
    process.wait(10)
    deadline = time.monotonic() + 10
    while is_running(plugin) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_running(plugin)


def is_running(pid):
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    # A zombie that nobody has waited for has ended as well.
    return "\nState:\tZ" not in status


def test_it_starts_without_the_pulumi_sdk_and_without_the_kafka_client():
    parts = "kafka_topology.plugin, kafka_topology.program.judge, kafka_topology.provider.plugin.server"
    code = f"import sys, {parts}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pulumi", "confluent_kafka", "yaml"} & set(done.stdout.split())
