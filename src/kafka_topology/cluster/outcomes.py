"""The outcome of one item of a set: a value, or a failure with its kind and a message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

T = TypeVar("T")


class FailureKind(StrEnum):
    """The kind of a failure, which decides what the caller may do next."""

    MISSING = "missing"  # the cluster answered: it does not exist
    EXISTS = "exists"  # the cluster answered: it exists already
    UNCERTAIN = "uncertain"  # no answer: it may be done, so read before you send it again
    UNREACHABLE = "unreachable"  # never connected: nothing was done
    DENIED = "denied"  # the cluster answered: not allowed
    REFUSED = "refused"  # a promise of the provider forbids it
    REJECTED = "rejected"  # the cluster answered: the request is wrong
    CANCELLED = "cancelled"  # the Pulumi engine cancelled the run


@dataclass(frozen=True, slots=True)
class Failure:
    kind: FailureKind
    message: str


def unanswered(what: str, said: str) -> Failure:
    """The failure for a request that got no answer, or one that asks to try again later."""
    return Failure(
        FailureKind.UNCERTAIN,
        f"{what}: {said}. No usable answer came in time: check that the brokers are up, and run the command again. It "
        "looks before it acts.",
    )


Outcome: TypeAlias = T | Failure


class ClusterUnreachableError(Exception):
    """No broker could be reached. The text says which were tried and why each failed."""
