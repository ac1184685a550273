"""Kills the plugin, the engine or a broker while an `up` is under way, as a crash would."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kafka_topology.local.errors import PortTakenError

if TYPE_CHECKING:
    from pulumi_project import PulumiProject

    from kafka_topology.local import LocalCluster

Victim = Literal["plugin", "engine", "broker"]
VICTIMS: tuple[Victim, ...] = ("plugin", "engine", "broker")
BROKERS = (1, 2, 3)
_PLUGIN = "pulumi-resource-kafka-topology"
_LONGEST_UP = 240.0


def seed_of(environment: dict[str, str] | os._Environ[str]) -> int:
    """The seed that is asked for, or a new one."""
    return int(environment.get("KAFKA_TOPOLOGY_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)


@dataclass(frozen=True)
class Shot:
    """What was killed, how many seconds after it could be. `hit` when it ran then, and the `up` with it."""

    victim: Victim
    broker: int
    after: float
    hit: bool
    plugins: tuple[int, ...]

    def __str__(self) -> str:
        victim = f"broker {self.broker}" if self.victim == "broker" else self.victim
        return f"{victim} killed after {self.after:.2f} s" + ("" if self.hit else ", too late")


def kill_during_up(
    project: PulumiProject, kafka: LocalCluster, victim: Victim, chance: random.Random, usual: float
) -> Shot:
    """An `up` that loses the victim at a random moment of the `usual` seconds that it takes."""
    broker = chance.choice(BROKERS)
    after = chance.uniform(0, usual)
    with subprocess.Popen(
        ["pulumi", "--non-interactive", "up", "--yes", "--skip-preview"],
        cwd=project.root,
        env=project.program_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as engine:
        while victim == "plugin" and engine.poll() is None and not plugins_of(engine.pid):
            time.sleep(0.01)
        try:
            engine.wait(after)
        except subprocess.TimeoutExpired:
            plugins = plugins_of(engine.pid)
            hit = _kill(victim, engine, plugins, kafka, broker)
        else:
            plugins, hit = (), False
        engine.wait(_LONGEST_UP)
    _bring_back(kafka)
    if victim == "engine":
        hit = hit and engine.returncode == -signal.SIGKILL
    return Shot(victim, broker, after, hit, plugins)


def _kill(
    victim: Victim, engine: subprocess.Popen[bytes], plugins: tuple[int, ...], kafka: LocalCluster, broker: int
) -> bool:
    """Whether it was running until now, in an operation that is not over."""
    if victim == "engine":
        engine.kill()
        return True
    if victim == "broker":
        ran = any(one.id == broker and one.state == "running" for one in kafka.status().brokers)
        kafka.kill(broker)
    else:
        ran = bool(plugins)
        for pid in plugins:
            os.kill(pid, signal.SIGKILL)
    return ran and engine.poll() is None


def plugins_of(pid: int) -> tuple[int, ...]:
    """The plugins that a process has started and that run."""
    children = [int(c) for file in Path(f"/proc/{pid}/task").glob("*/children") for c in _read(file).split()]
    return tuple(child for child in children if is_plugin(child))


def is_plugin(pid: int) -> bool:
    """A process that has ended has no command any more, also while its parent has not asked for it."""
    return _PLUGIN in _read(Path(f"/proc/{pid}/cmdline"))


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _bring_back(kafka: LocalCluster) -> None:
    """A killed broker's ports are free a moment after it is gone."""
    deadline = time.monotonic() + 20
    while True:
        try:
            kafka.start(timeout=240)
        except PortTakenError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
