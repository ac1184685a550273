"""Options of `audit` that need no cluster, what a watch prints, and what it serves."""

from __future__ import annotations

import io
import socket
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path

import click
import pytest
from command import call
from prometheus_text import parsed
from rich.console import Console

from kafka_topology.audit.lasting.following import Following
from kafka_topology.audit.run import Audited
from kafka_topology.cli.auditing.serving import served
from kafka_topology.cli.auditing.watching import Lines, Screen, Watch
from kafka_topology.report.run import Run
from kafka_topology.topology import Finding, Location, Severity
from kafka_topology.validators import Outcome

HERE = Location("/repo/t.yaml", 1, 1, 1, 2)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "t.yaml").write_text("version: 1\n")
    return tmp_path / "t.yaml"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--for", "soon"), "`soon` is not a duration from 1ms to 366d, such as 30s or 10m"),
        (("--for", "forever"), "`forever` is not a duration"),
        (("--for", "0s"), "`0s` is not a duration"),
        (("--every", "5s"), "--every needs --watch"),
        (("--listen", "127.0.0.1:9308"), "--listen needs --watch"),
        (("--watch", "--format", "json"), "--watch prints text; write other formats to files, such as json=FILE"),
        (("--watch", "--listen", "9308"), "`9308` is not HOST:PORT, such as 127.0.0.1:9308"),
        (("--watch", "--listen", "127.0.0.1:99999"), "is not HOST:PORT"),
    ],
)
def test_options_that_cannot_work_are_refused(file, options, said):
    result = call("audit", str(file), "--bootstrap", "127.0.0.1:1", *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_cluster_that_never_answered_is_reported_at_once(file):
    result = call("audit", str(file), "--bootstrap", "127.0.0.1:1", "--for", "1h", "--timeout", "5")
    assert result.exit_code == 3
    assert "could not check" in result.stdout


def finding(rule="KTA204", message="orders: 1 partition (0) with 2 of 3 replicas in sync; expected 3"):
    return Finding(rule, Severity.WARNING, message, HERE, "orders", kind="topic")


def watch(*looks):
    """A watch whose looks find these; each is the findings and what could not be checked."""
    made = iter(looks)

    def look():
        findings, unread = next(made)
        return Audited(Outcome(tuple(findings), (), (), frozenset()), tuple(unread), may_pass=bool(unread))

    def as_run(audited, at):
        return Run(
            subject="/repo/t.yaml", folder=Path("/repo"), command="audit", at=at,
            findings=audited.outcome.findings, could_not_check=audited.could_not_check,
        )  # fmt: skip

    return Watch(look, as_run, Following({}))


def test_lines_of_a_watch_are_changes_only(capsys):
    watched, lines = watch(([], []), ([finding()], []), ([finding()], []), ([], ["no answer"]), ([], [])), Lines()
    printed = []
    for _ in range(5):
        lines(watched.next())
        printed.append([line.split(" ", 1) for line in capsys.readouterr().out.splitlines()])
    assert [[text for _, text in look] for look in printed] == [
        ["no findings"],
        ["new warning KTA204: orders: 1 partition (0) with 2 of 3 replicas in sync; expected 3"],
        [],
        ["could not check: no answer"],
        [
            "gone warning KTA204: orders: 1 partition (0) with 2 of 3 replicas in sync; expected 3",
            "everything could be checked again",
        ],
    ]
    datetime.fromisoformat(printed[1][0][0])


def test_what_is_missing_in_other_words_was_not_checked(capsys):
    """A broker that is gone is not asked any more, and a refused connection may become a lost one."""
    watched, lines = watch(([], ["broker 1: refused", "broker 2: refused"]), ([], ["broker 1: lost"])), Lines()
    for _ in range(2):
        lines(watched.next())
    assert [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines()] == [
        "could not check: broker 1: refused",
        "could not check: broker 2: refused",
        "could not check: broker 1: lost",
    ]


def shown(screen, look):
    console = Console(file=io.StringIO(), width=80, highlight=False, markup=False)
    console.print(screen.after(look, console))
    return console.file.getvalue().splitlines()


def test_a_screen_shows_what_is_new_and_gone_in_80_columns():
    long = finding("KTA304", "billing is far behind " + "and " * 30)
    screen, watched = Screen(timedelta(seconds=30)), watch(([finding()], []), ([long], []), ([long], ["no answer"]))
    first, second, third = (shown(screen, watched.next()) for _ in range(3))
    assert first[0].endswith("t.yaml: 1 warning")
    assert first[1].startswith("new   ")
    assert [line[:5].strip() for line in second[1:-1]] == ["new", "gone"]
    assert second[-1] == "looks every 30s; Ctrl-C ends"
    assert third[1] == "could not check: no answer"
    assert all(len(line) <= 80 for line in (*first, *second, *third))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def asked(port, path):
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_the_last_look_is_served():
    port, watched = free_port(), watch(([finding()], []))
    with served(f"127.0.0.1:{port}") as serve:
        assert asked(port, "/metrics")[0] == 503
        serve(watched.next().run)
        status, kind, text = asked(port, "/metrics?a=b")
        assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
        numbers = parsed(text)
        assert numbers.of("kafka_topology_finding", rule="KTA204") == [1]
        assert numbers.of("kafka_topology_last_run_timestamp_seconds")[0] <= datetime.now(UTC).timestamp()
        assert asked(port, "/")[0] == 404
        with pytest.raises(click.BadParameter, match="cannot listen at"), served(f"127.0.0.1:{port}"):
            pass
