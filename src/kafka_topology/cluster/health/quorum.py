"""Reads the controller quorum: who leads it, who votes, and how far each node has copied the metadata log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..live.quorum import Follower, Quorum
from ..outcomes import Failure, FailureKind, Outcome, unanswered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.second_client import SecondClient

# A leader without a majority resigns. One that was just elected has not heard of its voters yet.
_NEW_LEADER: Final = "the leader of the quorum has not heard of a majority of the voters yet"
_FETCH_AGE_MS: Final = 10_000  # followers fetch at least every half second


def read_quorum(second: SecondClient) -> Outcome[Quorum]:
    what = "describing the controllers"
    answer = second.call(what, lambda client: client.describe_metadata_quorum())
    if isinstance(answer, Failure):
        return answer
    quorum = answer["topics"][0]["partitions"][0]
    if quorum["error"] is not None:
        return Failure(FailureKind.REJECTED, f"{what}: {quorum['error']}")
    found = quorum_of(quorum)
    return found if found.has_majority else unanswered(what, _NEW_LEADER)


def quorum_of(answer: Mapping[str, Any]) -> Quorum:
    """A voter that has not fetched for a while is down. Brokers before Kafka 3.3 do not say when it did."""
    leader, voters = answer["leader_id"], answer["current_voters"]
    now = max((each.get("last_fetch_timestamp", -1) for each in voters), default=-1)
    end = max((each.get("log_end_offset", -1) for each in voters), default=-1)

    def follower(each: Mapping[str, int]) -> Follower:
        fetched, caught_up = each.get("last_fetch_timestamp", -1), each.get("last_caught_up_timestamp", -1)
        leads = each["replica_id"] == leader
        return Follower(
            leads or now < 0 or now - fetched <= _FETCH_AGE_MS,
            0 if leads else max(0, end - each.get("log_end_offset", -1)),
            0 if leads else None if now < 0 or caught_up < 0 else max(0, now - caught_up),
        )

    def followers(states: Collection[Mapping[str, int]]) -> dict[int, Follower]:
        return {each["replica_id"]: follower(each) for each in states}

    return Quorum(leader, followers(voters), followers(answer.get("observers", ())))
