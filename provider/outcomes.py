"""What came of one item of a set: a value, or a failure with its kind and a message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

T = TypeVar("T")


class FailureKind(StrEnum):
    """What a failure allows one to do next."""

    MISSING = "missing"  # the cluster answered: it is not there
    EXISTS = "exists"  # the cluster answered: it is there already
    UNCERTAIN = "uncertain"  # no answer: it may have been done, so look before acting again
    UNREACHABLE = "unreachable"  # never connected: nothing was done
    DENIED = "denied"  # the cluster answered: not allowed
    REFUSED = "refused"  # one of our own promises forbids it
    REJECTED = "rejected"  # the cluster answered: the request is wrong
    CANCELLED = "cancelled"  # the engine told us to stop


@dataclass(frozen=True, slots=True)
class Failure:
    kind: FailureKind
    message: str


Outcome: TypeAlias = T | Failure


class ClusterUnreachableError(Exception):
    """No broker could be talked to. The text says which were tried and why each failed."""
