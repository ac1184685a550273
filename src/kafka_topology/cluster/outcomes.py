"""The outcome of one item of a set: a value, or a failure with its kind and a message."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
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
    """`reason` is the message without the request, if it is known: many requests may fail for one reason."""

    kind: FailureKind
    message: str
    reason: str = field(default="", compare=False, repr=False)


def unanswered(what: str, said: str, silent: Collection[str] = ()) -> Failure:
    """The failure for a request that got no answer, or one that asks to try again later.

    `silent` are addresses of brokers that do not answer.
    """
    if silent:
        who, verb = ("brokers", "do") if len(silent) > 1 else ("broker", "does")
        advice = f"The {who} at {', '.join(silent)} {verb} not answer: check the {who}, and run the command again."
    else:
        advice = (
            "No usable answer came in time: check that the brokers are up, and run the command again. It looks before "
            "it acts."
        )
    reason = f"{said}. {advice}"
    return Failure(FailureKind.UNCERTAIN, f"{what}: {reason}", reason)


Outcome: TypeAlias = T | Failure


class ClusterUnreachableError(Exception):
    """No broker could be reached. The text says which were tried and why each failed."""
