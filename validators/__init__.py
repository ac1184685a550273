"""The rules: a topology, and perhaps its earlier version, to findings."""

from .engine import validate
from .registry import builtin_rules
from .rule import Bad, Context, Option, Problem, Rule

__all__ = ["Bad", "Context", "Option", "Problem", "Rule", "builtin_rules", "validate"]
