"""Fixtures for every test."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from hypothesis import settings

from kafka_topology.local import LocalCluster

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_configure() -> None:
    """Ctrl-C is part of what is tested; a run in the background may have inherited that it is ignored.

    How long an example takes says more about the machine than about the code. The examples are the same in each run, so
    that no change fails by chance: `make fuzz` looks for new ones.

    Tests start hundreds of short-lived processes. Python keeps compiled modules for the next one, and Spark's Java
    uses its quick compiler, as our local brokers do. `test_edge_topics.py` took 109 s of processor time, not 152 s.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.register_profile("untimed", deadline=None, derandomize=True)
    settings.load_profile("untimed")


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """Three running brokers, shared by all tests of a run: use names of your own for topics."""
    data = tmp_path_factory.mktemp("kafka") / "cluster"
    with LocalCluster(data, brokers=3, delete_on_exit=True) as cluster:
        yield cluster


@pytest.fixture
def admin(kafka: LocalCluster) -> AdminClient:
    """Kafka's own client, to see and to change what is on the brokers besides our code."""
    return AdminClient({"bootstrap.servers": kafka.bootstrap_servers})


@pytest.fixture(scope="session")
def secure_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """One running broker with secured listeners; `client_settings` has what a client needs for each."""
    data = tmp_path_factory.mktemp("kafka") / "secured"
    with LocalCluster(data, secure=True, delete_on_exit=True) as cluster:
        yield cluster
