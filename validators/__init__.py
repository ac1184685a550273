"""The rules: a topology, and perhaps its earlier version, to findings."""

from .elsewhere import judged, options_of
from .engine import Outcome, run, validate
from .naming import is_own
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
    "is_own",
    "judged",
    "options_of",
    "run",
    "validate",
]
