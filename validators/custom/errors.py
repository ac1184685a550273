"""Explains what is wrong with an expression, at the place where it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kafka_topology.topology.model.declared import RuleSetting
from kafka_topology.topology.model.findings import Finding, Severity
from kafka_topology.topology.model.places import Location
from kafka_topology.topology.model.words import did_you_mean

from ..engine.rule import Problem
from .expressions import Expression, ExpressionError
from .fields import field_names, instead_of, path_in

_POSITION = re.compile(r"<input>:(\d+):(\d+): (?:Syntax error: )?([^\n]*)")


def wrong(rule: str, setting: RuleSetting, at: Location, message: str, fix: str) -> Finding:
    return Finding(rule, Severity.ERROR, message, at, setting.id, fix)


def error_finding(
    setting: RuleSetting, expression: Expression, error: ExpressionError, resources: Mapping[str, Any]
) -> Problem:
    """The error for an expression that cannot be evaluated, whatever the severity of its rule."""
    at = setting.place(error.part).location
    text = expression.expect if error.part == "expect" else expression.when or ""
    message, fix = _explained(expression, error, resources)
    if error.kind == "syntax":
        at = _inside(at, text, error)
    where = f" for {error.resource}" if error.resource else ""
    if error.count > 1:
        where += f" and {error.count - 1} more"
    return Problem(
        f"{setting.id} could not be evaluated{where}: {message}", at, setting.id, fix, severity=Severity.ERROR
    )


def _explained(expression: Expression, error: ExpressionError, resources: Mapping[str, Any]) -> tuple[str, str]:
    variable = expression.variable
    if error.kind == "syntax":
        found = _POSITION.search(error.text)
        return f"`{error.part}` is not a CEL expression: {_short(found[3] if found else error.text)}", "correct it here"
    if error.kind == "variable":
        fix = did_you_mean(error.text, (variable, "cluster")) or f"use {variable} or cluster, and put text in quotes"
        return f"there is no variable `{error.text}`", fix
    if error.kind == "KeyError":
        known = {*_names(resources), *field_names(expression.section)}
        near = instead_of(error.text, variable) or did_you_mean(error.text, sorted(known - {error.text}))
        if error.text in known:
            path = path_in(variable, error.text, expression.expect if error.part == "expect" else expression.when or "")
            return f"`{error.text}` is not declared there", f"test it first, with has({path}) in `when:`"
        return (
            f"there is no field `{error.text}`",
            near or "test it first with has(…), or correct the name of the field",
        )
    if error.kind == "result":
        return f"`{error.part}` gives a value of type {error.text}; expected true or false", "compare it with a value"
    if error.kind == "timeout":
        return f"it took longer than {error.text} and was stopped", "simplify it: avoid nested map, all and exists"
    if error.kind == "together":
        return f"the expressions took longer than {error.text} together", "simplify them, or declare fewer"
    if error.kind == "crash":
        return "it used too much memory and was stopped", "simplify it: avoid chains of map and +"
    return _short(error.text), "correct the expression"


def _inside(at: Location, text: str, error: ExpressionError) -> Location:
    """The column within the expression, if it is written on one line exactly as it is read."""
    found = _POSITION.search(error.text)
    width = at.end_column - at.column
    if found is None or found[1] != "1" or at.line != at.end_line or width not in (len(text), len(text) + 2):
        return at
    column = at.column + (width != len(text)) + int(found[2]) - 1
    column = min(column, at.end_column - 1)
    return replace(at, column=column, end_column=column + 1)


def _names(resources: Mapping[str, Any]) -> Iterator[str]:
    """All field names of the values, at any depth."""
    for value in resources.values():
        if isinstance(value, Mapping):
            yield from value
            yield from _names(value)


def _short(text: str) -> str:
    first = text.split("\n", 1)[0]
    return first if len(first) <= 160 else first[:157] + "..."
