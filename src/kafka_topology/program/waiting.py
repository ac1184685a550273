"""For programs with many resources, ours and those that use the typed classes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pulumi

if TYPE_CHECKING:
    from collections.abc import Collection


def wait_for(resources: Collection[pulumi.Resource]) -> None:
    """Lets the program wait for all resources at once.

    Left to itself, the SDK waits for every output of every resource anew whenever one of them is there. With a
    thousand topics, that is what a program does most of its time. What fails is still told by the SDK.
    """

    async def until_all_are_there() -> None:
        await asyncio.gather(*(resource.urn.future() for resource in resources), return_exceptions=True)

    if hasattr(pulumi, "run"):  # older SDKs have no such entry
        pulumi.run(until_all_are_there)
