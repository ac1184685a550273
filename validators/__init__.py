"""The rules: a topology, and perhaps its earlier version, to findings."""

from .engine import Outcome, run, validate
from .registry import RulePacks, builtin_rules, installed_rules
from .rule import Bad, Context, Option, Problem, Rule
from .suppressions import Suppressed, Suppression

__all__ = [
    "Bad",
    "Context",
    "Option",
    "Outcome",
    "Problem",
    "Rule",
    "RulePacks",
    "Suppressed",
    "Suppression",
    "builtin_rules",
    "installed_rules",
    "run",
    "validate",
]
