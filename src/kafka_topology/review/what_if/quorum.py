"""Whether the controllers keep their majority when brokers are lost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ...topology.model.declared import Cluster
from ...topology.model.words import agreeing, counted
from ..live import Live

Verdict = Literal["kept", "lost", "unknown"]


@dataclass(frozen=True, slots=True)
class QuorumLoss:
    """`left` controllers of `of` after the loss, `needed` for a majority. With "unknown", `reason` says why."""

    verdict: Verdict
    of: int | None = None
    left: int | None = None
    reason: str = ""

    @property
    def needed(self) -> int | None:
        return None if self.of is None else self.of // 2 + 1

    @property
    def sentence(self) -> str:
        if self.verdict == "unknown":
            return f"could not check whether the controllers keep their majority: {self.reason}"
        left = f"{self.left} of {counted(self.of or 0, 'controller')} {agreeing(self.left or 0, 'is', 'are')} left"
        if self.verdict == "kept":
            return f"the controllers keep their majority: {left}"
        return (
            f"the controllers lose their majority: {left}, and {self.needed} are needed. No leader is elected; no lost"
            " replica leaves the ISR, so no acks=all write to its partition completes; no topic, setting or ACL"
            " changes; and brokers that restart do not come back"
        )


def quorum_after(cluster: Cluster, lost: Collection[int], live: Live | None) -> QuorumLoss:
    if live is not None and live.voters is not None:
        left = [voter for voter in live.voters if live.voters[voter] and voter not in lost]
        return _known(len(live.voters), len(left))
    if cluster.controller_ids:
        return _known(len(cluster.controller_ids), len(set(cluster.controller_ids).difference(lost)))
    if cluster.controllers is None:
        return QuorumLoss("unknown", reason="declare cluster.controllers with their node ids")
    fewest = max(0, cluster.controllers - len(lost))  # if all lost brokers are controllers
    if fewest >= cluster.controllers // 2 + 1:
        return QuorumLoss("kept", cluster.controllers, fewest)
    why = "cluster.controllers is a number, which does not say whether the lost brokers are controllers; list node ids"
    return QuorumLoss("unknown", cluster.controllers, reason=why)


def _known(of: int, left: int) -> QuorumLoss:
    return QuorumLoss("kept" if left >= of // 2 + 1 else "lost", of, left)
