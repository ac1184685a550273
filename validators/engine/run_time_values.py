"""Which problems are about values that only the running client knows: no rule can say that they are wrong."""

from __future__ import annotations

from kafka_topology.topology.kafka.run_time_values import is_set_at_run_time
from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.kinds import clients_of
from kafka_topology.topology.model.places import Location, Place

from .rule import Problem


class RunTimeValues:
    """The placeholders in the settings of all clients of a topology."""

    def __init__(self, topology: Topology) -> None:
        self._texts: set[str] = set()
        self._locations: set[Location] = set()
        for _, client in clients_of(topology):
            for name, value in client.config.items():
                if is_set_at_run_time(value):
                    self._texts.add(value)
                    self._locations.add(client.place("config", name).location)

    def decide(self, problem: Problem) -> bool:
        """Whether the problem points at such a value, or states it as the actual one."""
        if not self._texts:
            return False
        at = problem.at.location if isinstance(problem.at, Place) else problem.at
        return at in self._locations or any(text in problem.message for text in self._texts)
