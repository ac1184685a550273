"""The rules: they turn a topology, and optionally its earlier version, into findings."""

from .engine.elsewhere import judged, options_of
from .engine.examples import changed
from .engine.naming import is_own
from .engine.printed_settings import with_errors
from .engine.registry import RulePacks, builtin_rules, installed_rules, retired_ids
from .engine.rule import Bad, Context, Option, Problem, Rule, rule
from .engine.run import Outcome, rule_problems, run, validate
from .engine.suppressions import Suppressed, Suppression

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
    "changed",
    "installed_rules",
    "is_own",
    "judged",
    "options_of",
    "retired_ids",
    "rule",
    "rule_problems",
    "run",
    "validate",
    "with_errors",
]
