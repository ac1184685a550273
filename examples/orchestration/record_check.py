"""A nightly check of live records as a plain function: for Airflow, Dagster, or anything that calls Python.

It reads what is new since the last time, writes the report, and only then remembers how far it came: killed at any
moment, the next run reads the same records again and skips none.
"""

from __future__ import annotations

import json
from pathlib import Path

from kafka_topology.files import write_atomically
from kafka_topology.spark_checks import Options, Selection, State, check, parse_state
from kafka_topology.spark_checks.reading.client_config import parse_properties
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.topology import load


class RecordsBreakTheDeclaration(Exception):
    """Fails the task; the message says which topics, the report file has the rest."""


class CouldNotCheck(Exception):
    """Not checked is not fine: the task fails as well, and may be tried again."""


def check_records(
    topology_path: str, client_config: str, report_file: str, state_file: str, master: str = "local[*]"
) -> dict[str, int]:
    """Gives the number of records that were read of each topic."""
    topology = load(topology_path).topology
    if topology is None:
        raise CouldNotCheck(f"{topology_path} is not a topology: kafka-topology validate says why")
    client = parse_properties(Path(client_config).read_text())
    known = Path(state_file)
    state = parse_state(known.read_text()) if known.exists() else State()

    report = check(
        start(master=master),
        topology,
        bootstrap_servers=client["bootstrap.servers"],
        client_config=client,
        options=Options(selection=Selection(state=state)),
    )

    write_atomically(Path(report_file), json.dumps(report.to_json(), indent=2).encode())
    if report.state is not None:
        write_atomically(known, report.state.to_json().encode())
    if report.having("violated"):
        broken = ", ".join(f"{topic.topic} ({topic.violations})" for topic in report.topics if topic.having("violated"))
        raise RecordsBreakTheDeclaration(f"violations in {broken}: see {report_file}")
    if report.unreadable:
        reasons = "; ".join(f"{topic.topic}: {topic.unreadable}" for topic in report.unreadable)
        raise CouldNotCheck(reasons)
    short = [f"{topic.topic}: {each.check}" for topic in report.topics for each in topic.having("could-not-check")]
    if short:
        raise CouldNotCheck(f"not judged, or too few records of them: {', '.join(short)}: see {report_file}")
    if report.unchecked:  # records that open transactions hide, or that were deleted before they could be read
        raise CouldNotCheck(f"not every record could be read: see {report_file}")
    return {topic.topic: topic.records for topic in report.topics}
