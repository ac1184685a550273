"""Dagster: the report as an asset, with the number of records as metadata."""

from __future__ import annotations

from dagster import MaterializeResult, asset
from record_check import check_records


@asset(group_name="kafka", description="Live records against the declared keys.")
def record_report() -> MaterializeResult:
    records = check_records(
        topology_path="/opt/topology",
        client_config="/opt/secrets/kafka.properties",
        report_file="/opt/reports/records.json",
        state_file="/opt/reports/records.state.json",
    )
    return MaterializeResult(metadata={"records": sum(records.values()), "topics": len(records)})
