"""A stack's config as the program and the provider understand it. They and the commands share this reading."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.connecting.settings import ClientConfig
from kafka_topology.provider.config.keys import KEYS, PROGRAM_KEYS, check_config, missing_keys, resolve
from kafka_topology.provider.config.settings import PACKAGE
from kafka_topology.provider.desired.resources import desired_ownership
from kafka_topology.provider.resources.changes import unknown_inputs
from kafka_topology.topology.model.declared import Ownership
from kafka_topology.topology.model.places import Layer, Location, Place

from .project import Project
from .pulumi_cli import ConfigValue, PulumiCli, StackUnreadable

if TYPE_CHECKING:
    from kafka_topology.provider.config.settings import Settings
    from kafka_topology.topology.model.declared import Topology

DEFAULT_PATH: Final = "topology"
OWNED_TWICE: Final = (
    f"The ownership is declared twice: {PACKAGE}:ownership in the stack's config, and `ownership` in the "
    f"topology. Keep one of them: run 'pulumi config rm {PACKAGE}:ownership', or remove the section."
)
# Settings of librdkafka that say the same: a client certificate is in a keystore, or in two files or texts.
_KEYSTORE: Final = "ssl.keystore"
_IN_KEYSTORE: Final = ("ssl.certificate", "ssl.key")


@dataclass(frozen=True, slots=True)
class Stack:
    """One stack. `values` has the keys of our namespace, without it."""

    name: str
    project: Project
    values: Mapping[str, ConfigValue]

    @property
    def short_name(self) -> str:
        """Without organization and project, as a program sees it."""
        return self.name.rpartition("/")[2]

    @property
    def path(self) -> Path:
        return topology_path(self.project.root, self._text("path"))

    @property
    def environment(self) -> str | None:
        """The configured one. Without it, the environment with the stack's name is applied, if there is one."""
        return self._text("environment")

    @property
    def has_secret_address(self) -> bool:
        return "bootstrapServers" in self.values and self.values["bootstrapServers"].secret

    def settings(self, environ: Mapping[str, str], address: str | None = None) -> Settings:
        """The provider's settings. `address` replaces the configured one. Raises StackUnreadable on wrong config."""
        texts = {name: value.text for name, value in self.values.items() if value.text is not None}
        if address is not None:
            texts["bootstrapServers"] = address
        known = {key.name: texts[key.name] for key in KEYS if key.name in texts}
        failures = check_config(known).failures
        wrong = [*wrong_keys(texts, self.project.name), *(_line(each.property, each.reason) for each in failures)]
        if not wrong:
            wrong = [
                f"{PACKAGE}:{missing.name} is missing: {missing.description}"
                for missing in missing_keys(known, environ)
            ]
        if wrong:
            hint = f"correct it with `pulumi config set --stack {quote(self.name)}`"
            raise StackUnreadable(self._hidden(f"the config of the stack {self.name}: {'; '.join(wrong)}; {hint}"))
        found = resolve(known, environ)
        assert found is not None  # noqa: S101 - only a program has unknown values
        return found

    def owning(self, topology: Topology, settings: Settings) -> Topology:
        """The topology with the ownership of the stack's config, if there is one. Raises if both declare one."""
        if not self._text("ownership"):
            return topology
        if any(desired_ownership(topology.ownership).values()):
            raise StackUnreadable(OWNED_TWICE)
        owned = settings.owned
        at = Place(Layer.RESOURCE, self._location("ownership"))
        ownership = Ownership(
            place=lambda *_: at,
            topics=owned.topics,
            groups=owned.groups,
            principals=owned.principals,
            grants=owned.grants,
        )
        return replace(topology, ownership=ownership)

    def _text(self, key: str) -> str | None:
        value = self.values.get(key)
        return (value.text or None) if value is not None else None

    def _location(self, key: str) -> Location:
        """Where a key is written, as far as a look at the files shows it."""
        for file in (self.project.stack_file(self.name), self.project.file):
            lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            for number, line in enumerate(lines, start=1):
                if f"{PACKAGE}:{key}" in line:
                    start = line.index(PACKAGE) + 1
                    return Location(str(file), number, start, number, start + len(f"{PACKAGE}:{key}"))
        return Location(str(self.project.file), 1, 1, 1, 2)

    def _hidden(self, message: str) -> str:
        """The message without the secrets of the config."""
        for value in self.values.values():
            if value.secret and value.text:
                message = message.replace(value.text, "[secret]")
        return message


def read_stack(cli: PulumiCli, name: str, *, secrets: bool) -> Stack:
    """Reads a stack's config. Without `secrets`, it needs no passphrase, and settings may be missing."""
    found = cli.config(name, secrets=secrets)
    values = {key.removeprefix(f"{PACKAGE}:"): value for key, value in found.items() if key.startswith(f"{PACKAGE}:")}
    if any(values[key].text is None for key in PROGRAM_KEYS & values.keys()):
        return read_stack(cli, name, secrets=True)
    return Stack(name, cli.project, values)


def topology_path(root: Path, configured: str | None) -> Path:
    return root / (configured or DEFAULT_PATH)


def wrong_keys(given: Collection[str], project: str | None) -> list[str]:
    """Unknown keys of our namespace: a typo such as `maxDelete: 0` would limit nothing."""
    known = (*(key.name for key in KEYS), *PROGRAM_KEYS)
    wrong = [_line(failure.property, failure.reason) for failure in unknown_inputs(given, known)]
    if wrong and project == PACKAGE:
        wrong.append(
            "This Pulumi project has the provider's name, so its own config, such as the secrets of users, is taken "
            "for the provider's. Change its name in Pulumi.yaml and run 'pulumi stack rename organization/NAME/STACK'."
        )
    return wrong


def client_config(settings: Settings, given: Mapping[str, str]) -> ClientConfig:
    """What a client needs to reach the stack's cluster. What the user gave wins over settings that say the same."""
    taken = {_meaning(name) for name in given}
    if _KEYSTORE in taken:
        taken |= {*_IN_KEYSTORE}
    kept = {name: value for name, value in settings.client.items() if _meaning(name) not in taken}
    region = None if "sasl.mechanism" in taken else settings.msk_region
    return ClientConfig({**kept, **given}, msk_region=region)


def _meaning(setting: str) -> str:
    """The same text for settings that say the same in another form."""
    if setting == "sasl.mechanisms":
        return "sasl.mechanism"
    if setting.startswith("ssl."):
        return setting.removesuffix(".pem").removesuffix(".location")
    return setting


def _line(key: str, reason: str) -> str:
    return f"{PACKAGE}:{key}: {reason}"
