"""A Pulumi stack with the program of this repository; how to reach the cluster is in its environment."""

from __future__ import annotations

import json
import shutil
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pulumi_project import PulumiProject

from .declaration import PASSWORD
from .processes import Running

if TYPE_CHECKING:
    from .cluster import TorturedCluster, Via

PROGRAM = Path(__file__).resolve().parents[2] / "program" / "__main__.py"
WITHOUT_QUESTIONS = ("--yes", "--skip-preview")


class Stack(PulumiProject):
    def __init__(self, root: Path) -> None:
        super().__init__(root, "unused:1", PROGRAM.read_text())
        self.run("config", "set", "--secret", "password", PASSWORD)
        self.configure("path", "topology.yaml")
        settings = yaml.safe_load((root / "Pulumi.dev.yaml").read_text())
        del settings["config"]["kafka-topology:bootstrapServers"]
        (root / "Pulumi.dev.yaml").write_text(yaml.safe_dump(settings))
        self._runs = 0

    def declare(self, document: dict[str, Any]) -> None:
        (self.root / "topology.yaml").write_text(json.dumps(document, indent=1))

    def reach(self, cluster: TorturedCluster, via: Via) -> None:
        self.environment = {key: value for key, value in self.environment.items() if not key.startswith("KAFKA_")}
        self.environment["KAFKA_BOOTSTRAP_SERVERS"] = cluster.servers(via)
        if via == "secured":
            login = cluster.login(via)
            self.environment |= {
                "KAFKA_SECURITY_PROTOCOL": login["security.protocol"],
                "KAFKA_SASL_MECHANISM": login["sasl.mechanism"],
                "KAFKA_SASL_USERNAME": login["sasl.username"],
                "KAFKA_SASL_PASSWORD": login["sasl.password"],
                "KAFKA_TLS_CA_CERTIFICATE": Path(login["ssl.ca.location"]).read_text(),
            }

    def begin(self, *arguments: str) -> Running:
        """A command of Pulumi that somebody waits for later."""
        self._runs += 1
        return Running(
            f"pulumi {arguments[0]}",
            ["pulumi", "--non-interactive", "--color", "never", *arguments],
            self.root,
            self.program_environment(),
            self.root / f"run-{self._runs % 20}.log",
        )

    def resources(self) -> dict[str, Any]:
        """Inputs and outputs in its state by URN, without what belongs to Pulumi itself. Groups go on reading."""
        state = json.loads(self.run("stack", "export", "--show-secrets"))["deployment"]
        ours = (one for one in state.get("resources", ()) if one["type"].startswith("kafka-topology:"))
        return {one["urn"]: (one.get("inputs"), None if _is_group(one) else one.get("outputs")) for one in ours}

    def twin(self, root: Path) -> Stack:
        """A copy with a state of its own, as a second pipeline would have that began at the same moment."""
        shutil.copytree(self.root, root, ignore=shutil.ignore_patterns("home", "*.log"))
        twin = copy(self)
        twin.root = root
        twin.environment = {**self.environment, "PULUMI_BACKEND_URL": (root / "state").as_uri()}
        return twin

    def unlock(self) -> None:
        """A killed engine leaves its lock and what it had begun: what `pulumi cancel` is for."""
        shutil.rmtree(self.root / "state" / ".pulumi" / "locks", ignore_errors=True)


def _is_group(resource: dict[str, Any]) -> bool:
    return str(resource["type"]).endswith(":ConsumerGroup")
