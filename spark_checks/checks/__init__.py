"""The checks, one per file. They are pure: tests as data in, explanations as text out."""

from __future__ import annotations

from typing import Final

from .base import Check
from .cardinality import Cardinality
from .compaction import Compaction
from .headers import HeadersCheck
from .key_field import KeyField
from .key_type import KeyTypeCheck
from .nulls import Nulls
from .order import Order
from .placement import Placement
from .single_partition import SinglePartition
from .skew import Skew
from .timestamps import Timestamps
from .value_schema import ValueSchema

CHECKS: Final[tuple[Check, ...]] = (
    Placement(),
    SinglePartition(),
    KeyTypeCheck(),
    KeyField(),
    Nulls(),
    Compaction(),
    Order(),
    ValueSchema(),
    HeadersCheck(),
    Timestamps(),
    Skew(),
    Cardinality(),
)
