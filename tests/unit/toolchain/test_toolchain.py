"""The cache of jars: found, fetched as a whole or not at all."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kafka_topology.toolchain import (
    KAFKA,
    SPARK,
    ToolchainError,
    cache_root,
    ensure,
    ensure_spark,
    find_java,
    kafka_jars,
    spark_jars,
)
from kafka_topology.toolchain.__main__ import main
from kafka_topology.toolchain.bundles import DEFAULT_KAFKA, chosen_kafka
from kafka_topology.toolchain.java import java_major, parse_java_major
from kafka_topology.toolchain.lock import file_lock
from kafka_topology.toolchain.pins import pinned

GOOD_MAVEN = """#!/bin/sh
for argument in "$@"; do
  case $argument in -DoutputDirectory=*) target=${argument#*=};; esac
done
echo run >> "$CALLS"
mkdir -p "$target" && touch "$target/b.jar" "$target/a.jar"
"""
BAD_MAVEN = "#!/bin/sh\necho '[ERROR] Could not resolve org.example:nothing'\nexit 1\n"
SLOW_MAVEN = GOOD_MAVEN + 'sleep 30 & echo $! > "$CALLS.pid"; wait\n'


EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def silent(_: str) -> None:
    pass


def pin(monkeypatch: pytest.MonkeyPatch, pins: dict[str, str]) -> None:
    for module in ("bundles", "fetch"):
        monkeypatch.setattr(f"kafka_topology.toolchain.{module}.pinned", lambda _: pins)


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a Maven of our own on PATH; returns the file that lists its runs. Its jars are nobody's."""
    pin(monkeypatch, {})
    calls = tmp_path / "calls"
    monkeypatch.setenv("CALLS", str(calls))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def put(script: str) -> Path:
        path = tmp_path / "bin" / "mvn"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
        return calls

    return put


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"KAFKA_TOPOLOGY_CACHE": "/c", "XDG_CACHE_HOME": "/x"}, Path("/c")),
        ({"XDG_CACHE_HOME": "/x"}, Path("/x/kafka-topology")),
        ({"XDG_CACHE_HOME": "relative"}, Path.home() / ".cache/kafka-topology"),
        ({}, Path.home() / ".cache/kafka-topology"),
    ],
)
def test_the_cache_is_per_user_and_can_be_chosen(environ, expected):
    assert cache_root(environ) == expected


def test_another_kafka_can_be_chosen():
    assert chosen_kafka({}) == DEFAULT_KAFKA
    assert chosen_kafka({"KAFKA_TOPOLOGY_KAFKA_VERSION": "4.2.1"}) == "4.2.1"


def test_a_lookup_fetches_nothing(tmp_path, maven):
    calls = maven(GOOD_MAVEN)
    assert kafka_jars(tmp_path / "cache") is None
    assert spark_jars("4.0.0", tmp_path / "cache") is None
    assert not calls.exists()
    assert not (tmp_path / "cache").exists()


def test_jars_are_fetched_once(tmp_path, maven):
    calls, cache = maven(GOOD_MAVEN), tmp_path / "cache"
    folder = cache / KAFKA.folder
    assert ensure(KAFKA, cache, progress=silent) == [folder / "a.jar", folder / "b.jar"]
    assert ensure(KAFKA, cache, progress=silent) == kafka_jars(cache)
    assert calls.read_text().split() == ["run"]


def test_a_jar_that_went_missing_is_fetched_again(tmp_path, maven):
    calls, cache = maven(GOOD_MAVEN), tmp_path / "cache"
    ensure(KAFKA, cache, progress=silent)[0].unlink()
    assert kafka_jars(cache) is None
    assert len(ensure(KAFKA, cache, progress=silent)) == 2
    assert calls.read_text().split() == ["run", "run"]


def test_jars_are_compared_with_their_hashes_when_they_come_and_when_they_are_used(tmp_path, maven, monkeypatch):
    calls, cache = maven(GOOD_MAVEN), tmp_path / "cache"
    pin(monkeypatch, {"a.jar": EMPTY, "b.jar": EMPTY})
    jars = ensure(KAFKA, cache, progress=silent)
    assert kafka_jars(cache) == jars
    jars[0].write_text("something else")
    assert kafka_jars(cache) is None
    assert ensure(KAFKA, cache, progress=silent) == jars
    assert jars[0].read_text() == ""
    assert calls.read_text().split() == ["run", "run"]


@pytest.mark.parametrize(
    ("pins", "named"),
    [
        ({"a.jar": "0" * 64, "b.jar": EMPTY}, "a.jar differ"),
        ({"a.jar": EMPTY}, "b.jar differ"),
        ({"a.jar": EMPTY, "b.jar": EMPTY, "c.jar": EMPTY}, "c.jar differ"),
    ],
    ids=["changed", "one more", "one less"],
)
def test_other_jars_than_the_tested_ones_are_not_kept(tmp_path, maven, monkeypatch, pins, named):
    maven(GOOD_MAVEN)
    pin(monkeypatch, pins)
    with pytest.raises(ToolchainError, match=named):
        ensure(KAFKA, tmp_path / "cache", progress=silent)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [f".{KAFKA.folder}.lock"]


def test_maven_compares_its_checksums_strictly(tmp_path, maven):
    maven(GOOD_MAVEN.replace("echo run", 'echo "$@"'))
    ensure(KAFKA, tmp_path / "cache", progress=silent)
    assert "--strict-checksums" in (tmp_path / "calls").read_text().split()


def test_another_version_has_no_hashes_and_says_so(tmp_path, maven):
    maven(GOOD_MAVEN)
    said = []
    ensure(KAFKA, tmp_path / "cache", progress=said.append)
    assert any("is not the tested version" in line for line in said)


def test_every_jar_of_the_tested_versions_has_a_hash():
    for bundle, most in (("kafka-4.1.0", "kafka_2.13-4.1.0.jar"), (SPARK.folder, "kafka-clients-3.9.0.jar")):
        assert most in pinned(bundle)
        assert all(len(digest) == 64 for digest in pinned(bundle).values())


def test_two_at_once_fetch_once(tmp_path, maven):
    calls, cache = maven(GOOD_MAVEN + "sleep 0.3\n"), tmp_path / "cache"
    threads = [threading.Thread(target=ensure, args=(KAFKA, cache), kwargs={"progress": silent}) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls.read_text().split() == ["run"]


def test_only_pysparks_with_a_pom_are_fetched(tmp_path, maven):
    calls = maven(GOOD_MAVEN)
    assert ensure_spark("4.1.1", tmp_path / "cache", progress=silent) is None
    assert not calls.exists()
    assert ensure_spark(SPARK.version, tmp_path / "cache", progress=silent)


def test_what_maven_says_is_shown_and_nothing_is_left(tmp_path, maven):
    maven(BAD_MAVEN)
    with pytest.raises(ToolchainError, match=r"Could not resolve org\.example") as caught:
        ensure(KAFKA, tmp_path / "cache", progress=silent)
    assert "settings.xml" in caught.value.fix
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [".kafka-4.1.0.lock"]


def test_no_maven(tmp_path, monkeypatch):
    java = Path(find_java())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(java)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolchainError, match="mvn") as caught:
        ensure(KAFKA, tmp_path / "cache", progress=silent)
    assert "Install Maven" in caught.value.fix


def test_no_java(tmp_path):
    with pytest.raises(ToolchainError, match="java was not found") as caught:
        find_java({"PATH": str(tmp_path)})
    assert "Install Java 17" in caught.value.fix


def test_an_old_java_is_refused(tmp_path):
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 0\n")
    java.chmod(0o755)
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="11.0.2"\n')
    with pytest.raises(ToolchainError, match="is Java 11, Kafka needs 17"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": ""})


def test_a_java_that_does_not_run(tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'Unable to locate a Java Runtime' >&2\nexit 1\n")
    java.chmod(0o755)
    with pytest.raises(ToolchainError, match="Unable to locate"):
        java_major(str(java))


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_412"', 8),
        ('JAVA_VERSION="21"', 21),
        ("nothing", None),
    ],
)
def test_versions_of_java(text, major):
    assert parse_java_major(text) == major


def test_an_interrupted_fetch_leaves_nothing(tmp_path, maven):
    calls, cache = maven(SLOW_MAVEN), tmp_path / "cache"
    process = subprocess.Popen(
        [sys.executable, "-m", "kafka_topology.toolchain", "kafka"],
        env={**os.environ, "KAFKA_TOPOLOGY_CACHE": str(cache)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 10
    while not calls.with_suffix(".pid").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, said = process.communicate(timeout=10)
    os.kill(int(calls.with_suffix(".pid").read_text()), signal.SIGKILL)
    assert process.returncode == 130
    assert "the cache is unchanged" in said
    assert [path.name for path in cache.iterdir()] == [".kafka-4.1.0.lock"]


def test_what_a_killed_fetch_left_behind_is_removed(tmp_path, maven):
    maven(GOOD_MAVEN)
    cache = tmp_path / "cache"
    (cache / f".{KAFKA.folder}.fetch-old").mkdir(parents=True)
    ensure(KAFKA, cache, progress=silent)
    assert not (cache / f".{KAFKA.folder}.fetch-old").exists()


def test_the_command_says_what_is_wrong(tmp_path, maven, monkeypatch, capsys):
    maven(BAD_MAVEN)
    monkeypatch.setenv("KAFKA_TOPOLOGY_CACHE", str(tmp_path / "cache"))
    assert main(["kafka"]) == 3
    output = capsys.readouterr()
    assert output.out == ""
    assert "error: Maven could not fetch Kafka 4.1.0" in output.err


def test_a_lock_on_a_deleted_file_guards_nothing(tmp_path):
    path = tmp_path / "folder" / ".lock"
    with file_lock(path, timeout=1):
        path.unlink()
        with file_lock(path, timeout=1):
            pass


def test_a_lock_waits_for_its_holder(tmp_path):
    told = []
    with (
        file_lock(tmp_path / "lock", timeout=1),
        pytest.raises(TimeoutError, match=re.escape(str(tmp_path / "lock"))),
        file_lock(tmp_path / "lock", timeout=0.2, waiting=lambda: told.append("once")),
    ):
        pass
    assert told == ["once"]
