"""A strict reader of Prometheus's text format 0.0.4: anything that its documentation does not allow fails the test."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_COMMENT = re.compile(rf"# (HELP|TYPE) ({_NAME}) (.*)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (NaN|[+-]Inf|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Numbers:
    """Every sample: name, labels, value."""

    samples: tuple[tuple[str, dict[str, str], float], ...]

    def of(self, name, **labels):
        return [value for each, has, value in self.samples if each == name and labels.items() <= has.items()]


def parsed(text):
    assert text.endswith("\n")
    assert "\r" not in text
    samples, described, typed, seen = [], set(), set(), set()
    current = None
    for line in text[:-1].split("\n"):
        if line.startswith("#"):
            if not line.startswith(("# HELP", "# TYPE")):
                continue
            word, name, rest = _COMMENT.fullmatch(line).groups()
            group = described if word == "HELP" else typed
            assert name not in group, f"two {word} lines of {name}"
            assert rest if word == "HELP" else rest in {"gauge", "counter", "untyped", "histogram", "summary"}
            group.add(name)
            current = name
            continue
        match = _SAMPLE.fullmatch(line)
        assert match, line
        name, labels, value = match.groups()
        assert name == current, f"{name} is not below its own HELP and TYPE"
        found = list(_LABEL.finditer(labels or ""))
        assert ",".join(each[0] for each in found) == (labels or ""), line
        held = {each[1]: _ESCAPED.sub(lambda at: {"n": "\n"}.get(at[1], at[1]), each[2]) for each in found}
        assert len(held) == len(found), f"a label twice: {line}"
        key = (name, *sorted(held.items()))
        assert key not in seen, f"a sample twice: {line}"
        seen.add(key)
        samples.append((name, held, float(value)))
    assert described == typed == {name for name, _, _ in samples}
    return Numbers(tuple(samples))
