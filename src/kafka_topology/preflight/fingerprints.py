"""What a preflight saw, as digests: a plan that was approved is applied only if they are still the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`topology`: what the files ask for. `deployed`: what the last deployment left. `live`: what the cluster has.

    `live` covers declared and deployed topics, and each difference between the declaration and what is on the cluster.
    """

    cluster: str
    topology: str
    deployed: str
    live: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)

    def differences(self, approved: Fingerprint) -> Iterator[str]:
        """What changed since, in words."""
        if self.cluster != approved.cluster:
            yield f"the brokers belong to cluster {self.cluster}, and the plan was made for {approved.cluster}"
            return
        if self.deployed != approved.deployed:
            yield "the stack was deployed again since the plan was made"
        if self.topology != approved.topology:
            yield "the topology asks for something else than the one that the plan was made from"
        elif self.live != approved.live:  # it covers what is declared
            yield "declared resources changed on the cluster since the plan was made"


def read_fingerprint(document: Any) -> Fingerprint:
    """Of a preflight's JSON. Raises ValueError if it has none."""
    held = document.get("fingerprint") if isinstance(document, dict) else None
    if not isinstance(held, dict) or not all(isinstance(held.get(name), str) for name in Fingerprint.__slots__):
        raise ValueError("it has no fingerprint: the preflight that wrote it did not reach the cluster")
    return Fingerprint(**{name: held[name] for name in Fingerprint.__slots__})
