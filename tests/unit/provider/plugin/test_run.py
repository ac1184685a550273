"""What one run of the engine knows of its resources, and what a provider hears of its neighbours."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from kafka_topology.provider.plugin.neighbours import Neighbours
from kafka_topology.provider.plugin.run import Run
from kafka_topology.provider.resources.base import OperationError

ORDERS = ("topic", "orders")
USERS = ("topic", "users")


def test_what_another_resource_declares_is_kept():
    run = Run()
    run.declare("new", frozenset({ORDERS}))
    kept = run.kept("old", frozenset({ORDERS, USERS}))
    assert (kept.parts, kept.urns) == ({ORDERS}, ("new",))
    assert run.kept("old", frozenset({USERS})).parts == frozenset()


def test_a_part_is_not_taken_over_by_resources_that_all_failed():
    run = Run()
    run.failed("new")
    assert run.have_failed(["new"])
    assert not run.have_failed(["new", "other"])
    assert not run.have_failed([])


def test_what_a_resource_declares_no_more_is_not_kept_for_it():
    run = Run()
    run.declare("one", frozenset({ORDERS, USERS}))
    run.declare("one", frozenset({USERS}))
    assert run.others("two", [ORDERS, USERS]).parts == {USERS}


def test_the_first_half_of_a_replacement_is_refused_unless_the_thing_has_vanished():
    run = Run()
    run.refuse_replacement("one", "topic 'orders'")
    run.found_in_state(["one"])
    with pytest.raises(OperationError, match="topic 'orders' is not replaced"):
        run.refuse_replacement("one", "topic 'orders'")
    run.found_gone("one")
    run.refuse_replacement("one", "topic 'orders'")


def test_a_deletion_before_the_creation_is_seen_as_a_replacement():
    run = Run()
    assert not run.is_half_replaced("one")
    run.declare("one", frozenset({ORDERS}))
    assert run.is_half_replaced("one")
    run.created("one")
    assert not run.is_half_replaced("one")
    assert run.kept("one", [ORDERS]).parts == {ORDERS}


def test_what_an_interrupted_replacement_left_behind_is_not_half_of_a_new_one():
    run = Run()
    run.declare("one", frozenset({ORDERS}))
    run.settled("one")
    assert not run.is_half_replaced("one")
    assert run.kept("one", [ORDERS]).parts == {ORDERS}


def test_what_was_removed_too_early_is_seen_by_who_still_declares_it():
    run = Run()
    run.declare("dropping", frozenset({USERS}))
    assert run.removing("dropping", [ORDERS]) == {ORDERS}
    run.declare("keeping", frozenset({ORDERS}))
    before = run.removed_before([ORDERS, USERS])
    assert (before.parts, before.urns) == ({ORDERS}, ("dropping",))
    assert not run.removed_before([USERS]).parts
    assert run.removing("dropping", [ORDERS]) == frozenset()


def test_providers_of_one_run_hear_of_each_other(tmp_path, monkeypatch):
    first = Neighbours("127.0.0.1:1", tmp_path)
    monkeypatch.setattr(os, "getpid", lambda: 2**30)  # nobody's
    killed = Neighbours("127.0.0.1:1", tmp_path)
    killed.note("cluster", [USERS])
    monkeypatch.setattr(os, "getpid", lambda: 2**30 + 1)
    second, elsewhere = Neighbours("127.0.0.1:1", tmp_path), Neighbours("127.0.0.1:2", tmp_path)
    first.note("cluster", [ORDERS])
    assert second.declared("cluster", [ORDERS, USERS]) == {ORDERS}
    assert first.declared("cluster", [ORDERS]) == frozenset()
    assert second.declared("another cluster", [ORDERS]) == frozenset()
    assert elsewhere.declared("cluster", [ORDERS]) == frozenset()
    first.close()
    assert second.declared("cluster", [ORDERS]) == frozenset()


def test_a_provider_that_starts_or_declares_more_later_is_heard_too(tmp_path, monkeypatch):
    first = Neighbours("127.0.0.1:1", tmp_path)
    assert first.declared("cluster", [ORDERS, USERS]) == frozenset()
    time.sleep(0.1)  # the list of the folder is kept from now on
    assert first.declared("cluster", [ORDERS, USERS]) == frozenset()
    monkeypatch.setattr(os, "getpid", os.getppid)  # of a process that is alive
    second = Neighbours("127.0.0.1:1", tmp_path)
    second.note("cluster", [ORDERS])
    assert first.declared("cluster", [ORDERS, USERS]) == {ORDERS}
    time.sleep(0.1)
    assert first.declared("cluster", [ORDERS, USERS]) == {ORDERS}
    second.note("cluster", [ORDERS, USERS])
    assert first.declared("cluster", [ORDERS, USERS]) == {ORDERS, USERS}
    second.close()
    assert first.declared("cluster", [ORDERS, USERS]) == frozenset()


def test_a_thousand_questions_list_the_folder_once(tmp_path, monkeypatch):
    provider = Neighbours("127.0.0.1:1", tmp_path)
    provider.note("cluster", [ORDERS])
    time.sleep(0.1)
    listed = []
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: listed.append(folder) or glob(folder, pattern))
    for number in range(1000):
        provider.note("cluster", [ORDERS])
        assert provider.declared("cluster", [("topic", str(number))]) == frozenset()
    assert len(listed) == 1
    assert len(next(tmp_path.glob("*/*")).read_text().splitlines()) == 1
