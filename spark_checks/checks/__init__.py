"""The checks, one per file. They are pure: tests as data in, explanations as text out."""

from __future__ import annotations

from typing import Final

from .base import Check
from .headers import HeadersCheck
from .key_field import KeyField
from .key_type import KeyTypeCheck
from .nulls import Nulls
from .placement import Placement
from .planned import PLANNED
from .value_schema import ValueSchema

CHECKS: Final[tuple[Check, ...]] = (
    Placement(),
    KeyTypeCheck(),
    KeyField(),
    Nulls(),
    ValueSchema(),
    HeadersCheck(),
    *PLANNED,
)
