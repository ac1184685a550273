"""Addresses of two clusters in one list: nothing is sent to either, whichever answers first."""

from __future__ import annotations

import socket
import time

import pytest
from changing_stacks import ProgramStack, things, use
from new_cluster import unused_cluster

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.errors import WrongSettingsError
from kafka_topology.cluster.connecting.settings import client_only


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    with unused_cluster(tmp_path_factory.mktemp("other") / "kafka") as cluster:
        yield cluster


def connected(servers):
    cluster = Cluster(client_only({"bootstrap.servers": servers}, 10))
    try:
        return cluster.connect(), cluster.second().servers
    finally:
        cluster.close()


def test_a_list_of_two_clusters_is_refused(kafka, other):
    ours, theirs = kafka.bootstrap_servers.split(",")[0], other.bootstrap_servers.split(",")[0]
    for servers in (f"{ours},{theirs}", f"{theirs},{ours}"):
        with pytest.raises(WrongSettingsError, match="belong to different clusters") as error:
            connected(servers)
        assert ours in str(error.value)
        assert theirs in str(error.value)


def test_only_addresses_that_have_answered_are_used(kafka):
    """One that is dead or hangs now may be a broker of another cluster a moment later."""
    first = kafka.bootstrap_servers.split(",")[0]
    expected, _ = connected(first)
    with socket.create_server(("127.0.0.1", 0)) as hanging, socket.create_server(("127.0.0.1", 0)) as closed:
        silent, dead = (f"127.0.0.1:{each.getsockname()[1]}" for each in (hanging, closed))
        closed.close()
        for unused in (silent, dead):
            started = time.monotonic()
            cluster_id, servers = connected(f"{unused},{first}")
            assert cluster_id == expected
            assert time.monotonic() - started < 8
            assert unused not in servers
            assert set(kafka.bootstrap_servers.split(",")) <= set(servers.split(","))


def test_a_stack_does_nothing_with_a_list_of_two_clusters(kafka, other, tmp_path):
    name = "one-cluster"
    stack = ProgramStack(tmp_path / "project", kafka, name)
    stack.up()
    use(kafka, name)
    seen = things(kafka, name)
    stack.configure("bootstrapServers", f"{other.bootstrap_servers},{kafka.bootstrap_servers}")
    stack.resources = stack.resources[:2]  # access, user and quota would go
    for shown in (stack.preview(fails=True), stack.up(fails=True)):
        assert "belong to different clusters" in " ".join(shown.split())
    assert things(kafka, name).same_as(seen) == dict.fromkeys(things(kafka, name).same_as(seen), "as before")
