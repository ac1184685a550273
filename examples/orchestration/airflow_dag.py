"""Airflow: the check every night. Put this file and record_check.py into the folder of the DAGs."""

from __future__ import annotations

from datetime import datetime, timedelta

from airflow.decorators import dag, task
from record_check import check_records


@dag(schedule="0 3 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)  # noqa: DTZ001 - UTC
def kafka_records() -> None:
    # A run that could not reach Kafka is worth another try; violations stay violations.
    @task(retries=2, retry_delay=timedelta(minutes=10))
    def check() -> dict[str, int]:
        return check_records(
            topology_path="/opt/topology",
            client_config="/opt/secrets/kafka.properties",
            report_file="/opt/reports/records.json",
            state_file="/opt/reports/records.state.json",
        )

    check()


kafka_records()
