"""The parts of a local cluster that need no broker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.local import LocalCluster, LocalClusterError, SettingsError, default_data
from kafka_topology.local import state as states
from kafka_topology.local.layout import Layout, why_it_ended
from kafka_topology.local.processes.alive import end_all, is_running, start_mark
from kafka_topology.local.processes.interrupts import interrupts_deferred
from kafka_topology.local.processes.ports import accepts, free_ports, is_free
from kafka_topology.local.processes.storage import new_cluster_id
from kafka_topology.local.properties import bootstrap_servers, render, server_properties
from kafka_topology.local.settings import Settings, fit, new_state
from kafka_topology.local.state import Node, State, racks
from kafka_topology.local.status import observe
from kafka_topology.local.tools import tool_arguments, tool_class

STATE = State(
    kafka="4.1.0",
    cluster_id="yBTJ13jHR6mxTLIDoMW5ew",
    heap="256m",
    nodes=tuple(Node(at, rack, 20000 + at, 21000 + at) for at, rack in ((1, "a"), (2, "b"), (3, "c"))),
    formatted=True,
)


@pytest.fixture
def sleeper():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


# properties


def test_nodes_listen_on_the_loopback_only_and_know_each_other():
    values = server_properties(STATE, STATE.nodes[1], Path("/d"))
    assert values["listeners"] == "PLAINTEXT://127.0.0.1:20002,CONTROLLER://127.0.0.1:21002"
    assert values["controller.quorum.voters"] == ("1@127.0.0.1:21001,2@127.0.0.1:21002,3@127.0.0.1:21003")
    assert (values["node.id"], values["broker.rack"]) == ("2", "b")
    assert bootstrap_servers(STATE) == "127.0.0.1:20001,127.0.0.1:20002,127.0.0.1:20003"


@pytest.mark.parametrize(("brokers", "replicas", "in_sync"), [(1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 3, 2)])
def test_internal_topics_are_replicated_as_far_as_brokers_go(brokers, replicas, in_sync):
    state = new_state(Settings(brokers=brokers))
    values = server_properties(state, state.nodes[0], Path("/d"))
    for topic in ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic"):
        assert values[f"{topic}.replication.factor"] == str(replicas)
    assert values["transaction.state.log.min.isr"] == str(in_sync)


@pytest.mark.parametrize(("brokers", "voters"), [(1, 1), (2, 1), (3, 3), (4, 3), (6, 5), (9, 9)])
def test_the_number_of_voters_is_odd(brokers, voters):
    state = new_state(Settings(brokers=brokers))
    each = [server_properties(state, node, Path("/d")) for node in state.nodes]
    assert len(each[0]["controller.quorum.voters"].split(",")) == voters
    assert [values["process.roles"] for values in each] == ["broker,controller"] * voters + ["broker"] * (
        brokers - voters
    )
    assert ["CONTROLLER://" in values["listeners"] for values in each] == [at < voters for at in range(brokers)]


def test_a_cluster_of_an_earlier_version_keeps_its_voters(tmp_path):
    states.save(tmp_path, new_state(Settings(brokers=2)))
    written = json.loads((tmp_path / "cluster.json").read_text())
    del written["like_new"]
    for node in written["nodes"]:
        del node["votes"]
    (tmp_path / "cluster.json").write_text(json.dumps(written))
    assert len(states.load(tmp_path).voters) == 2


def test_a_cluster_like_new_has_the_defaults_of_kafka():
    state = new_state(Settings(brokers=3, like_new=True))
    values = server_properties(state, state.nodes[0], Path("/d"))
    ours = {"process.roles", "node.id", "broker.rack", "log.dirs", "log.cleaner.dedupe.buffer.size", "listeners"}
    ours |= {"advertised.listeners", "listener.security.protocol.map", "inter.broker.listener.name"}
    ours |= {"controller.quorum.voters", "controller.listener.names"}
    assert set(values) == ours
    with pytest.raises(SettingsError, match="--like-new cannot be added"):
        fit(STATE, Settings(like_new=True), Path("/d"), running=False)
    assert fit(state, Settings(), Path("/d"), running=False).like_new


def test_properties_are_escaped_for_java():
    assert render({"log.dirs": "C:\\ü\U0001f600"}) == "log.dirs=C:\\\\\\u00fc\\ud83d\\ude00\n"
    assert render({"a": " b\nc"}) == "a=\\ b\\nc\n"


def test_racks_never_run_out():
    assert racks(3) == ["a", "b", "c"]
    assert racks(28)[-2:] == ["aa", "ab"]


# settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"brokers": 0}, "--brokers is 0; choose 1 to 9"),
        ({"brokers": 10}, "1 to 9"),
        ({"port": 80}, "--port is 80; choose 1024"),
        ({"port": 65535}, "--port is 65535; choose 1024"),
        ({"heap": "lots"}, "'lots' is not a heap size"),
        ({"heap": "10m"}, "10m is too small"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message) as caught:
        Settings(**settings)
    assert caught.value.exit_code == 2


def test_a_chosen_port_is_the_first_brokers():
    state = new_state(Settings(brokers=3, port=9092))
    assert [node.port for node in state.nodes] == [9092, 9093, 9094]
    assert not {node.controller_port for node in state.nodes} & {9092, 9093, 9094}


def test_another_number_of_brokers_needs_another_folder():
    with pytest.raises(SettingsError, match="has 3 brokers, not 1") as caught:
        fit(STATE, Settings(brokers=1), Path("/d"), running=False)
    assert "local stop --data /d --delete" in caught.value.fix


def test_a_suggested_command_can_be_pasted_whatever_the_folder_is_called():
    with pytest.raises(SettingsError) as caught:
        fit(STATE, Settings(brokers=1), Path("/my data/d"), running=False)
    assert caught.value.fix.endswith("kafka-topology local stop --data '/my data/d' --delete")
    with pytest.raises(SettingsError) as caught:
        fit(STATE, Settings(brokers=3, heap="3g"), Path("/my data/d"), running=True)
    assert caught.value.fix.endswith("kafka-topology local stop --data '/my data/d'")


@pytest.mark.parametrize("settings", [{"port": 9092}, {"heap": "1g"}])
def test_a_running_cluster_keeps_its_settings(settings):
    with pytest.raises(SettingsError, match="is running with"):
        fit(STATE, Settings(**settings), Path("/d"), running=True)


def test_a_running_cluster_fits_what_it_is():
    same = Settings(brokers=3, port=20001, heap="256m")
    assert fit(STATE, same, Path("/d"), running=True) == STATE
    assert fit(STATE, Settings(), Path("/d"), running=True) == STATE


def test_a_stopped_cluster_keeps_its_ports_unless_asked():
    assert fit(STATE, Settings(), Path("/d"), running=False).nodes == STATE.nodes
    moved = fit(STATE, Settings(port=9092, heap="1g"), Path("/d"), running=False)
    assert (moved.nodes[0].port, moved.heap, moved.cluster_id) == (9092, "1g", STATE.cluster_id)
    assert fit(STATE, Settings(port=0), Path("/d"), running=False).nodes[0].port != 20001


# processes


def test_a_process_is_known_by_more_than_its_pid(sleeper):
    mark = start_mark(sleeper.pid)
    assert is_running(sleeper.pid, mark)
    assert not is_running(sleeper.pid, "another start")
    assert not is_running(None, None)


def test_a_reused_pid_is_never_killed(sleeper):
    assert end_all([(sleeper.pid, "another start")], grace=1) == []
    assert sleeper.poll() is None


def test_an_ended_child_is_not_running(sleeper):
    mark = start_mark(sleeper.pid)
    assert is_running(sleeper.pid, mark)
    sleeper.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while is_running(sleeper.pid, mark) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(sleeper.pid, mark)


def test_what_does_not_end_when_asked_is_killed():
    code = "import signal,time; signal.signal(15, signal.SIG_IGN); print(1, flush=1); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    began = time.monotonic()
    assert end_all([(process.pid, start_mark(process.pid))], grace=0.3) == []
    assert 0.3 <= time.monotonic() - began < 5
    process.stdout.close()
    process.wait()


def test_signals_wait_until_a_pid_is_noted():
    noted = []

    def interrupted_launch() -> None:
        with interrupts_deferred():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            noted.append("pid")

    with pytest.raises(KeyboardInterrupt):
        interrupted_launch()
    assert noted == ["pid"]


# folder and state


def test_the_default_folder_is_the_users():
    assert default_data({"XDG_STATE_HOME": "/s"}) == Path("/s/kafka-topology/local/default")
    assert default_data({}) == Path.home() / ".local/state/kafka-topology/local/default"


def test_the_state_survives_a_round_trip(tmp_path):
    states.save(tmp_path, STATE)
    assert states.load(tmp_path) == STATE
    assert [path.name for path in tmp_path.iterdir()] == ["cluster.json"]
    assert states.load(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "nodes": [{}]}'])
def test_a_damaged_state_is_named(tmp_path, text):
    (tmp_path / "cluster.json").write_text(text)
    with pytest.raises(LocalClusterError, match=r"cluster\.json"):
        states.load(tmp_path)


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("ten years")
    with pytest.raises(SettingsError, match=r"not empty .*thesis\.txt"):
        LocalCluster(tmp_path).start()
    LocalCluster(tmp_path).stop(delete=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_deleting_takes_only_what_was_made(tmp_path):
    states.save(tmp_path, STATE)
    layout = Layout(tmp_path)
    layout.write(STATE)
    (tmp_path / "notes.txt").write_text("mine")
    layout.delete(STATE)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_states_of_brokers(tmp_path, sleeper):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        mark = start_mark(sleeper.pid)
        listening = replace(STATE.nodes[0], pid=sleeper.pid, started=mark, port=listener.getsockname()[1])
        deaf = replace(STATE.nodes[1], pid=sleeper.pid, started=mark, port=1)
        stale = replace(STATE.nodes[2], pid=sleeper.pid, started="another start")
        seen = observe(Layout(tmp_path), replace(STATE, nodes=(listening, deaf, stale)))
        assert [broker.state for broker in seen.brokers] == ["running", "starting", "dead"]
        assert [broker.pid for broker in seen.brokers] == [sleeper.pid, sleeper.pid, None]
        assert seen.state == "degraded"
        pair = replace(STATE, nodes=(listening, deaf))
        assert observe(Layout(tmp_path), pair).state == "starting"
        one = replace(STATE, nodes=(listening,))
        sleeper.send_signal(signal.SIGSTOP)
        try:
            deadline = time.monotonic() + 10
            while (seen := observe(Layout(tmp_path), one)).brokers[0].state == "running":
                assert time.monotonic() < deadline
            assert (seen.state, seen.brokers[0].state, seen.brokers[0].pid) == ("degraded", "paused", sleeper.pid)
        finally:
            sleeper.send_signal(signal.SIGCONT)
    assert observe(Layout(tmp_path), STATE).state == "stopped"
    assert observe(Layout(tmp_path), None).state == "absent"


def test_the_reason_of_an_end_is_its_first_error(tmp_path):
    log = tmp_path / "broker.log"
    log.write_text(
        "2026-01-01 10:00:00.000 INFO  all is well\n"
        "2026-01-01 10:00:01.000 ERROR it broke\n"
        "java.net.BindException: Address already in use\n"
        "\tat some.java.Frame\n\n"
        "2026-01-01 10:00:01.001 INFO  shutting down\n"
    )
    assert why_it_ended(log) == (
        "  2026-01-01 10:00:01.000 ERROR it broke\n  java.net.BindException: Address already in use"
    )


def test_without_an_error_the_reason_is_the_end_of_the_log(tmp_path):
    log = tmp_path / "broker.log"
    log.write_text("one\ntwo\nthree\n")
    assert why_it_ended(log, lines=2) == "  two\n  three"
    assert "no log" in why_it_ended(tmp_path / "missing")


def test_ports():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert not is_free(port)
        assert accepts(port)
    assert not accepts(port)
    first = free_ports(5)
    assert len(set(first)) == 5
    assert not set(free_ports(5, avoid=first)) & set(first)


def test_cluster_ids_are_kafkas():
    ids = {new_cluster_id() for _ in range(500)}
    assert all(len(text) == 22 and not text.startswith("-") for text in ids)


# tools and command line


@pytest.mark.parametrize("name", ["kafka-topics", "topics", "kafka-topics.sh", "org.apache.kafka.tools.TopicCommand"])
def test_tools_go_by_the_names_of_their_scripts(name):
    assert tool_class(name) == "org.apache.kafka.tools.TopicCommand"


def test_an_unknown_tool_is_named_with_the_known_ones():
    with pytest.raises(SettingsError, match="no tool 'kafka-tpics'") as caught:
        tool_class("kafka-tpics")
    assert "kafka-topics" in caught.value.fix


def test_the_address_is_added_unless_given():
    topics = tool_class("kafka-topics")
    assert tool_arguments(topics, ("--list",), "b:1") == ["--list", "--bootstrap-server", "b:1"]
    assert tool_arguments(topics, ("--bootstrap-server", "x:1"), "b:1") == ["--bootstrap-server", "x:1"]
    assert tool_arguments(topics, ("--help",), "b:1") == ["--help"]


@pytest.mark.parametrize("name", ["kafka-features", "kafka-metadata-quorum", "kafka-transactions"])
def test_the_address_comes_before_a_subcommand(name):
    assert tool_arguments(tool_class(name), ("describe",), "b:1") == ["--bootstrap-server", "b:1", "describe"]


@pytest.mark.parametrize("words", [["local"], *(["local", name] for name in ("start", "stop", "status", "tool"))])
def test_help_has_an_example_and_fits_a_terminal(words):
    result = CliRunner().invoke(main, [*words, "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert ("Examples:" if len(words) == 1 or words[1] == "start" else "Example:") in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_a_wrong_setting_is_wrong_usage(tmp_path):
    result = CliRunner().invoke(main, ["local", "start", "--data", str(tmp_path), "--brokers", "0"])
    assert result.exit_code == 2
    assert "choose 1 to 9" in result.output


def test_status_of_nothing_is_not_fine(tmp_path):
    result = CliRunner().invoke(main, ["local", "status", "--data", str(tmp_path / "none")])
    assert result.exit_code == 3
    assert "absent" in result.output


def test_stopping_nothing_is_fine_and_makes_no_folder(tmp_path):
    result = CliRunner().invoke(main, ["local", "stop", "--data", str(tmp_path / "none")])
    assert result.exit_code == 0
    assert not (tmp_path / "none").exists()


def test_a_tool_needs_a_cluster(tmp_path):
    result = CliRunner().invoke(main, ["local", "tool", "--data", str(tmp_path), "kafka-topics", "--list"])
    assert result.exit_code == 3
    assert "There is no cluster" in result.output
