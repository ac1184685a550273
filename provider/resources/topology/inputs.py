"""The inputs of `Topology`: loads the files that they name, checks every item in them, and computes their digest."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kafka_topology.provider.config.ownership import owned_by
from kafka_topology.provider.desired.resources import desired_ownership, desired_resources
from kafka_topology.provider.plugin.properties import UNKNOWN, as_secret, has_unknown, reveal

from ..changes import Checked, CheckFailure, PropertyChange, change_between, unknown_inputs
from .items import Item, digest_of, item_of, item_urn, stack_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.config.settings import Owned
    from kafka_topology.provider.plugin.lifecycle import Lifecycle
    from kafka_topology.provider.plugin.properties import Properties, Value
    from kafka_topology.topology.model.declared import Topology

    from .declaring import Declare

INPUTS: Final = ("path", "environment", "secrets")
DIGEST: Final = "digest"
RESOURCES: Final = "resources"
OUTPUTS: Final = (*INPUTS, DIGEST, RESOURCES)
_NO_VIEWS: Final = (
    "this Pulumi CLI cannot show the items of a topology as views. Use the CLI 3.259 or later, or register one "
    "resource per item: 'pulumi config set kafka-topology:resources each'."
)


@dataclass(slots=True)
class TopologyFiles:
    """Checks topologies, and remembers the items of those that it checked in this run, by URN and digest."""

    declare: Declare
    lifecycles: Mapping[str, Lifecycle]
    owned: Owned
    has_views: bool
    _checked: dict[tuple[str, str], tuple[Item, ...]] = field(default_factory=dict)

    def check(self, urn: str, new: Properties) -> Checked:
        failures = [*unknown_inputs(list(new), INPUTS), *_wrong_inputs(new)]
        if not self.has_views:
            failures.append(CheckFailure("path", _NO_VIEWS))
        if failures:
            return Checked(new, tuple(failures))
        inputs: dict[str, Value] = {name: value for name, value in new.items() if value is not None}
        if "secrets" in inputs:
            inputs["secrets"] = as_secret(inputs["secrets"])
        if any(has_unknown(inputs.get(name)) for name in ("path", "environment")):
            return Checked({**inputs, DIGEST: UNKNOWN})
        checked, items = self._load(urn, inputs)
        if checked.failures:
            return checked
        digest = digest_of(items)
        self._checked[urn, digest] = items
        return replace(checked, inputs={**inputs, DIGEST: digest})

    def items(self, urn: str, inputs: Properties) -> tuple[Item, ...] | None:
        """The items with this digest; None if the files have changed since."""
        digest = str(reveal(inputs.get(DIGEST)))
        if (urn, digest) not in self._checked:
            self.check(urn, {name: inputs[name] for name in INPUTS if name in inputs})
        return self._checked.get((urn, digest))

    def _load(self, urn: str, inputs: Properties) -> tuple[Checked, tuple[Item, ...]]:
        environment = reveal(inputs.get("environment"))
        found = self.declare(str(reveal(inputs["path"])), str(environment) if environment else None, stack_of(urn))
        failures = [CheckFailure("path", error) for error in found.errors]
        items: list[Item] = []
        if found.topology is not None and not failures:
            failures += _other_ownership(found.topology, self.owned)
            for item in _items(found.topology, inputs, failures):
                token, name = item.key
                checked = self.lifecycles[token].check(item_urn(urn, item.key), name, {}, item.inputs)
                failures += [
                    CheckFailure("path", f"{token.rpartition(':')[2]} '{name}', {each.property}: {each.reason}")
                    for each in checked.failures
                ]
                items.append(replace(item, inputs=checked.inputs))
        return Checked(inputs, tuple(failures), found.warnings), tuple(items)


def diff(old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
    return tuple(
        change
        for name in (*INPUTS, DIGEST)
        for change in change_between(name, reveal(old.get(name)), reveal(new.get(name)))
    )


def _wrong_inputs(new: Properties) -> Iterator[CheckFailure]:
    path = reveal(new.get("path"))
    if path is not UNKNOWN and (not isinstance(path, str) or not path):
        yield CheckFailure("path", "give the topology's file or folder, relative to the project's folder.")
    environment = reveal(new.get("environment"))
    if environment not in (None, UNKNOWN) and not isinstance(environment, str):
        yield CheckFailure("environment", f"{environment!r} is not the name of an environment.")
    secrets = reveal(new.get("secrets"))
    if secrets not in (None, UNKNOWN) and not isinstance(secrets, dict):
        yield CheckFailure("secrets", "give a map of names to values.")


def _items(topology: Topology, inputs: Properties, failures: list[CheckFailure]) -> Iterator[Item]:
    secrets = _secrets(inputs.get("secrets"))
    for desired in desired_resources(topology):
        for name, key in desired.secrets.items():
            if secrets is not None and key not in secrets:
                at = f"{desired.kind} '{desired.name}' takes its {name} from the secret '{key}'"
                failures.append(CheckFailure("secrets", f"{at}, which is not given. Add it to 'secrets'."))
        unknown: dict[str, Value] = dict.fromkeys(desired.secrets.values(), UNKNOWN)
        yield item_of(desired, unknown if secrets is None else secrets)


def _secrets(value: Value) -> Mapping[str, Value] | None:
    """The secrets by name; None while the names are unknown."""
    plain = reveal(value)
    if plain is UNKNOWN:
        return None
    return plain if isinstance(plain, dict) else {}


def _other_ownership(topology: Topology, owned: Owned) -> Iterator[CheckFailure]:
    """The provider enforces the ownership of its config. The files must not promise another one."""
    declared = desired_ownership(topology.ownership)
    if not declared:
        return
    plain: Value = json.loads(json.dumps(declared))
    if owned_by(plain) != owned:
        yield CheckFailure(
            "path",
            "the topology declares an ownership, and the provider has another one. Give the provider the same: "
            f"'pulumi config set kafka-topology:ownership' with {json.dumps(declared)}, or remove the section.",
        )
