"""A Pulumi project of its own for a test: the real engine, with its state in a file."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import yaml

TOPIC = "kafka-topology:index:Topic"
GROUP = "kafka-topology:index:ConsumerGroup"
SINGLE_REPLICAS = json.dumps({"severity": {"KT103": "off"}})
PROGRAM = """\
import json
import os

from kafka_topology.sdk import ConsumerGroup, Topic
from kafka_topology.program.waiting import wait_for
from pulumi import CustomTimeouts, ResourceOptions


def options(inputs, **others):
    timeouts = inputs.pop("timeouts", None)
    return ResourceOptions(custom_timeouts=CustomTimeouts(**timeouts) if timeouts else None, **others)


topics = {}
for name, inputs in json.loads(os.environ["TOPICS"]).items():
    topics[name] = Topic(name, opts=options(inputs), **inputs)
groups = []
for name, inputs in json.loads(os.environ["GROUPS"]).items():
    after = [topics[topic] for topic in inputs.get("topics", ()) if topic in topics]
    groups.append(ConsumerGroup(name, opts=options(inputs, depends_on=after), **inputs))
wait_for([*topics.values(), *groups])
"""


def find_pulumi() -> Path:
    """The CLI on PATH, else the one in the per-user cache. A missing one fails the tests."""
    on_path = shutil.which("pulumi")
    if on_path:
        return Path(on_path)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafka-topology")
    built = sorted(cache.glob("pulumi-*/bin/pulumi"))
    assert built, f"no 'pulumi' on PATH and none under {cache}"
    return built[-1]


class PulumiProject:
    """A project with one stack. `topics` and `groups` are what its program registers."""

    settings = (
        "name: tried\nruntime: python\nmain: program/\n"
        "plugins: {providers: [{name: kafka-topology, path: .venv/bin}]}\n"
    )

    def __init__(self, root: Path, bootstrap_servers: str, program: str = PROGRAM, rules: str | None = None) -> None:
        """`rules` is the provider's config; without it, the program above may have single replicas."""
        self.root = root
        self.topics: dict[str, dict[str, object]] = {}
        self.groups: dict[str, dict[str, object]] = {}
        scripts = Path(sys.executable).parent
        (root / "program").mkdir(parents=True)
        (root / "program" / "__main__.py").write_text(program)
        (root / "Pulumi.yaml").write_text(self.settings.replace(".venv/bin", str(scripts)))
        (root / "state").mkdir()
        folders = [str(scripts), str(find_pulumi().parent), os.environ.get("PATH", "")]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join(folders),
            "PULUMI_BACKEND_URL": (root / "state").as_uri(),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "tried",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
        }
        self.run("stack", "init", "dev")
        self.configure("bootstrapServers", bootstrap_servers)
        if rules is None and program.startswith(PROGRAM):
            rules = SINGLE_REPLICAS
        if rules is not None:
            self.configure("rules", rules)

    def configure(self, key: str, value: str, *arguments: str) -> None:
        """As `pulumi config set` does, which takes longer than all else here. Its options need the real one."""
        if arguments:
            self.run("config", "set", *arguments, f"kafka-topology:{key}", value)
            return
        file = self.root / "Pulumi.dev.yaml"
        settings = yaml.safe_load(file.read_text()) if file.exists() else {}
        settings.setdefault("config", {})[f"kafka-topology:{key}"] = value
        file.write_text(yaml.safe_dump(settings))

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Output and errors of one command, which must succeed, or fail if `fails`."""
        with self.start(*arguments) as command:
            try:
                said, _ = command.communicate(timeout=300)
            except BaseException:
                command.kill()
                raise
        assert (command.returncode != 0) is fails, f"{arguments} → {command.returncode}\n{said}"
        return said

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A command that runs. Its output and errors are one stream."""
        return subprocess.Popen(
            ["pulumi", "--non-interactive", "--color", "never", *arguments],
            cwd=self.root,
            env=self.program_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def program_environment(self) -> dict[str, str]:
        return {**self.environment, "TOPICS": json.dumps(self.topics), "GROUPS": json.dumps(self.groups)}

    def up(self, *arguments: str, fails: bool = False) -> str:
        return self.run("up", "--yes", "--skip-preview", *arguments, fails=fails)

    def preview(self, *arguments: str, fails: bool = False) -> str:
        return self.run("preview", "--diff", *arguments, fails=fails)

    def bring_in(self, name: str, *, kind: str = TOPIC, fails: bool = False) -> str:
        options = ("--yes", "--generate-code=false", "--protect=false")
        return self.run("import", kind, name, name, *options, fails=fails)

    def forget(self, name: str, *, kind: str = TOPIC) -> None:
        self.run("state", "delete", "--yes", f"urn:pulumi:dev::tried::{kind}::{name}")

    def destroy(self, *, fails: bool = False) -> str:
        return self.run("destroy", "--yes", "--skip-preview", fails=fails)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
