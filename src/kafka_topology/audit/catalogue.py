"""All checks of an audit, by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import access, cluster, groups, logins, replicas, topics

if TYPE_CHECKING:
    from .check import Check

CHECKS: Final[tuple[Check, ...]] = (
    *topics.CHECKS,
    *replicas.CHECKS,
    *groups.CHECKS,
    *access.CHECKS,
    *logins.CHECKS,
    *cluster.CHECKS,
)
