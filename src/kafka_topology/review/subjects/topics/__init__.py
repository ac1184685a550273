"""Changes of topics and of the schema files of their keys and values."""

from __future__ import annotations

from typing import Final

from ...subject import Subject
from .topic import topic_changes

SUBJECT: Final = Subject(order=10, kinds=("topic",), sections=("topics", "schemas"), changes=topic_changes)
