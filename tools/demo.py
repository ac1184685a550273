"""The whole path on this machine: refuse a bad file, apply a good one, write records, find the faulty ones.

usage: demo.py [FOLDER]
Everything it makes is in the folder, `.demo` by default. A second run starts from nothing again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from kafka_topology.sample_records import Planted, produce_sample
from kafka_topology.topology import load

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(".demo")
KAFKA = FOLDER / "kafka"
STATE = FOLDER / "pulumi"
REPORT = FOLDER / "report.json"
AUDIT = FOLDER / "audit.json"
PAGE = FOLDER / "report.html"
GOOD = "topology"
BAD = "examples/broken"
TOPIC = "shop.orders"
RECORDS = 20_000
CHECK_OF_FAULT = {"misplaced": "placement", "null-key": "nulls", "bad-key": "key-type"}
console = Console(highlight=False)


class DemoFailed(Exception):
    """A step did not do what it should; the message says which."""


def main() -> int:
    try:
        demo()
    except DemoFailed as failure:
        console.print(f"\n[bold red]The demo stopped:[/] {failure}\nRun `make demo` again, or `make down` to stop it.")
        return 1
    except KeyboardInterrupt:
        console.print("\nInterrupted. `make demo` starts from the beginning; `make down` stops what is running.")
        return 130
    return 0


def demo() -> None:
    os.chdir(ROOT)
    started = time.monotonic()
    clear_earlier_run()
    heading("1. The validators refuse what would hurt")
    run("kafka-topology", "validate", BAD, expect=1)
    heading("2. A real Kafka, three brokers")
    bootstrap = start_kafka()
    heading("3. pulumi up applies the good topology")
    run("kafka-topology", "validate", GOOD)
    wait_for_pulumi()
    prepare_stack(bootstrap)
    pulumi("up", "--yes", "--skip-preview")
    heading("4. A second pulumi up changes nothing")
    pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
    heading(f"5. {RECORDS:,} records, a few of them faulty")
    planted = produce(bootstrap)
    heading("6. Spark compares every record with the declared key")
    run(
        "kafka-topology",
        "check",
        GOOD,
        "--topic",
        TOPIC,
        "--bootstrap",
        bootstrap,
        "--format",
        "json",
        "--output",
        str(REPORT),
        expect=1,
    )
    compare_with_report(planted)
    heading("7. An audit of the cluster: it is as declared, but nobody reads, so groups are behind")
    run("kafka-topology", "audit", GOOD, "--bootstrap", bootstrap, "--format", f"json={AUDIT},text", expect=1)
    heading("8. One page with all of it")
    run(
        "kafka-topology",
        "report",
        GOOD,
        "--no-stack",
        "--check",
        str(REPORT),
        "--audit",
        str(AUDIT),
        "--output",
        str(PAGE),
    )
    console.print(
        f"\n[bold green]Done[/] in {time.monotonic() - started:.0f} s: exactly the planted faults were found."
    )
    console.print(f"Report:  {REPORT}")
    console.print(f"Page:    {PAGE.resolve().as_uri()}", soft_wrap=True)
    console.print(f"Look:    .venv/bin/kafka-topology local status --data {KAFKA}")
    console.print("Stop:    make down")


def heading(text: str) -> None:
    console.print(f"\n[bold cyan]{text}[/]")


def clear_earlier_run() -> None:
    if FOLDER.exists():
        console.print("clearing what an earlier demo left")
        run("kafka-topology", "local", "stop", "--data", str(KAFKA), show=False)
        shutil.rmtree(FOLDER)
    STATE.mkdir(parents=True)


def start_kafka() -> str:
    output = run(
        "kafka-topology", "local", "start", "--brokers", "3", "--data", str(KAFKA), "--format", "json", capture=True
    )
    bootstrap: str = json.loads(output)["bootstrapServers"]
    console.print(f"three brokers answer at {bootstrap}")
    return bootstrap


def pulumi_environment() -> dict[str, str]:
    """A backend in a folder and a fixed passphrase: nothing of the user's own Pulumi set-up is touched."""
    return {
        **os.environ,
        "PULUMI_HOME": str((FOLDER / "pulumi-home").resolve()),
        "PULUMI_BACKEND_URL": STATE.resolve().as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "demo",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
    }


def wait_for_pulumi() -> None:
    """`make` began to install it before the demo. What that says is shown until it is there."""
    cache = os.environ.get("KAFKA_TOPOLOGY_CACHE")
    if cache is None:
        return  # not started by `make`, so Pulumi is the user's own
    command = ("tools/install-pulumi", cache, sys.executable)
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise DemoFailed("the Pulumi CLI cannot be installed; the lines above say why")


def prepare_stack(bootstrap: str) -> None:
    pulumi("stack", "init", "demo", show=False)
    # Pulumi writes a new stack's config beside Pulumi.yaml; the demo keeps everything in its own folder.
    shutil.move(ROOT / "Pulumi.demo.yaml", FOLDER)
    pulumi("config", "set", "kafka-topology:bootstrapServers", bootstrap)


def pulumi(*arguments: str, show: bool = True) -> None:
    stack = () if arguments[:2] == ("stack", "init") else ("--stack", "demo")
    config = () if arguments[:2] == ("stack", "init") else ("--config-file", str(FOLDER / "Pulumi.demo.yaml"))
    run("pulumi", *arguments, *stack, *config, "--non-interactive", show=show, environment=pulumi_environment())


def produce(bootstrap: str) -> list[Planted]:
    topology = load(GOOD).topology
    if topology is None:
        raise DemoFailed(f"{GOOD} does not load")
    topic = topology.topics[TOPIC]
    schema = topology.schemas[topic.value.schema] if topic.value and topic.value.schema else None
    planted = produce_sample(bootstrap, topic, RECORDS, schema=schema)
    for fault in planted:
        console.print(f"  planted {fault.kind} at partition {fault.partition}, offset {fault.offset}")
    return planted


def compare_with_report(planted: list[Planted]) -> None:
    """The check must have found the planted faults, all of them and nothing else."""
    topics = json.loads(REPORT.read_text())["topics"]
    results = next(topic["results"] for topic in topics if topic["topic"] == TOPIC)
    found = {
        result["check"]: (result["violations"], _position(result["first"]), _position(result["last"]))
        for result in results
        if result["violations"]
    }
    expected = {}
    for kind, check in CHECK_OF_FAULT.items():
        positions = sorted((fault.partition, fault.offset) for fault in planted if fault.kind == kind)
        expected[check] = (len(positions), positions[0], positions[-1])
    if found != expected:
        raise DemoFailed(f"planted {expected}, but the check found {found}")


def _position(place: dict[str, int]) -> tuple[int, int]:
    return place["partition"], place["offset"]


def run(
    *command: str,
    expect: int = 0,
    show: bool = True,
    capture: bool = False,
    environment: dict[str, str] | None = None,
) -> str:
    """Runs a command as a user would, and stops the demo when its exit code is not the expected one."""
    if show:
        console.print(f"[dim]$ {' '.join(command)}[/]", soft_wrap=True)
    quiet = subprocess.PIPE if capture or not show else None
    sys.stdout.flush()
    done = subprocess.run(
        command, stdout=quiet, stderr=None if show else quiet, text=True, env=environment, check=False
    )
    if done.returncode != expect:
        detail = f"\n{done.stderr or ''}{done.stdout or ''}".rstrip()
        raise DemoFailed(f"`{' '.join(command)}` ended with exit code {done.returncode}, expected {expect}{detail}")
    return done.stdout or ""


if __name__ == "__main__":
    sys.exit(main())
