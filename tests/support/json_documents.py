"""JSON documents of every kind: plain, odd, and broken at random places."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

PATHS = [
    ("i'd",),
    ("id",),
    ("a", "b"),
    ("a", "b", "c"),
    ("a",),
    ("ä",),
    ("id", "id"),
    ("a", "d.e"),
    ("x y",),
    (" id",),
    ("*",),
]
_NAMES = [
    "id",
    "a",
    "b",
    "c",
    "d",
    "ä",
    "x y",
    "d.e",
    "",
    "*",
    "i\\u0064",
    "i\\d",
    'a\\"',
    "Id",
    "日本",
    "i'd",
    "id\\n",
]
_SCALARS = [
    "0", "-0", "1", "-1", "12345", "123456789012345678",
    "1234567890123456789", "9" * 40, "9" * 1200, "-9223372036854775808",
    "0.0", "1.0", "1.10", "-0.5", "1e3", "1E+3", "2.5e-3", "1e400", "00", "01", "-", "+1", ".5", "5.", "1e", "0x10",
    "NaN", "Infinity", "-Infinity", "true", "false", "null", "True", "nul", "truex", "undefined",
    '""', '"text"', '"ä€😀"', '"\\u00e4"', '"\\ud83d\\ude00"', '"\\ud83d"', '"a\\/b"', '"a\\nb"', '"a\\qb"', '"a\\u12"',
    '"tab\there"', '"line\nbreak"', '"\x7f"', "'single'", "text", '"un\\"quoted"', '"{\\"id\\": 1}"',
    '"\u2028"', '"\x00"',
]  # fmt: skip
_SPACES = ["", "", "", " ", "  ", "\n", "\t", "\r\n", "\x0b", "\u00a0", "/* c */"]


def some_documents(seed: int, count: int) -> Iterator[bytes]:
    chance = random.Random(seed)  # noqa: S311 - repeatable
    yield from (scalar.encode() for scalar in _SCALARS)
    for odd in (
        "{}",
        "",
        " ",
        "[]",
        '[{"id": 1}]',
        '{"id": 1} ',
        '{"id": 1}x',
        '{"id": 1}{"id": 2}',
        '{"id"}',
        '{"id":}',
    ):
        yield odd.encode()
    yield b'\xef\xbb\xbf{"id": "after a mark"}'
    yield b'{"id": "\xff"}'
    yield b'{"id": "\xed\xa0\x80", "a": {"b": "\xc0\x80"}}'
    yield b'{"other\xff": 1, "id": "x"}'
    yield '{"id": "utf-16"}'.encode("utf-16")
    for depth in (50, 59, 60, 61, 62, 999, 1000, 1001, 5000):
        yield ('{"deep": ' + "[" * depth + "]" * depth + ', "id": "found"}').encode()
        yield ('{"deep": ' + '{"a":' * depth + "1" + "}" * depth + ', "id": "found"}').encode()
    yield ('{"' + "n" * 60_000 + '": 1, "id": "after a long name"}').encode()
    while count > 0:
        family = (
            _alike(chance) if chance.random() < 0.2 else [_plain(chance) if chance.random() < 0.4 else _odd(chance, 0)]
        )
        count -= len(family)
        for document in family:
            yield _broken(chance, document) if chance.random() < 0.3 else document.encode("utf-8", "surrogatepass")


def _plain(chance: random.Random) -> str:
    """What a careful producer writes."""
    inner = {
        "b": chance.choice(["text", 7, True, None, {"c": "deep"}, {"c": 1.5}, [1, 2], "äöü", 'a"b']),
        "d.e": "dotted",
    }
    members = {
        "id": chance.choice(["354afe16-939a", "ä", "", 0, -17, 3.25, 10**20, False, None, ["x"], {"id": "inner"}]),
        "a": chance.choice([inner, inner, inner, "text", None, [inner], {}]),
        "ä": chance.choice(["umlaut", "ümläut", 5]),
        "x y": "space",
        "list": [1, "2", {"id": "hidden"}, [None, True]],
        "*": "star",
    }
    names = chance.sample(list(members), chance.randrange(len(members) + 1))
    separators = chance.choice([None, (",", ":"), (" , ", " : ")])
    return json.dumps(
        {name: members[name] for name in names},
        ensure_ascii=chance.random() < 0.5,
        indent=chance.choice([None, None, 2]),
        separators=separators,
    )


def _alike(chance: random.Random) -> list[str]:
    """Documents that differ in their values only, as those of one producer do."""
    shape = chance.choice(
        [
            '{"id": %s, "a": {"b": %s, "d.e": %s}, "other": [%s, %s]}',
            '{"other":%s,"a":{"b":{"c":%s}},"ä":%s,"id":%s,"last":%s} ',
            '{"a": %s, "id": {"id": %s}, "b": {"id": %s, "a": [{"id": %s}]}, "ä": %s}',
            '{"id": %s, "x": %s, "id": %s, "y": {"a": %s, "a": %s}}',
        ]
    )
    usual = ['"text"', "17", "true", "null", '"ä"', '"354afe16"', "2.5"]
    some = [usual if chance.random() < 0.8 else _SCALARS for _ in range(30)]
    return [shape % tuple(chance.choice(scalars) for _ in range(5)) for scalars in some]


def _odd(chance: random.Random, depth: int) -> str:
    space = chance.choice(_SPACES) if chance.random() < 0.2 else ""
    kind = chance.random()
    if depth > 0 and (kind < 0.6 or depth > 4):
        return space + chance.choice(_SCALARS) + space
    if depth > 0 and kind < 0.75:
        return space + "[" + ",".join(_odd(chance, depth + 1) for _ in range(chance.randrange(4))) + "]"
    members = [
        f'{space}"{chance.choice(_NAMES[:4] if chance.random() < 0.6 else _NAMES)}"{space}:{_odd(chance, depth + 1)}'
        for _ in range(chance.randrange(5))
    ]
    return space + "{" + ",".join(members) + ("," if chance.random() < 0.02 else "") + "}"


def _broken(chance: random.Random, document: str) -> bytes:
    """The document with one byte lost, doubled or changed, or without its end."""
    text = bytearray(document.encode("utf-8", "surrogatepass"))
    if not text:
        return b""
    at = chance.randrange(len(text))
    match chance.randrange(4):
        case 0:
            del text[at]
        case 1:
            text.insert(at, text[at])
        case 2:
            text[at] = chance.choice([*b'{}[]",:\\ \n\t0', chance.randrange(256)])
        case _:
            del text[at:]
    return bytes(text)
