"""What a partitioner's `expression` may say: the part of Spark SQL that computes a number from a key, and no more.

All of Spark SQL can read files and the environment of the machine, call Java and load native code, and an expression
may come with a change from anybody. So the text is cut into tokens here, every token must be known, and Spark gets the
tokens that were looked at: it cannot read the same text in another way. That needs no Spark, so rules and record
checks of any session ask the same function.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..model.words import spelled

COLUMNS: Final = ("key", "key_text", "partitions", "timestamp")
# Functions whose result depends on their arguments alone. None reads a file, a variable, the clock or a table, calls
# code by its name, or raises an error with a text of its own. `sequence` can fill the memory; hashes need it.
GROUPS: Final[Mapping[str, str]] = {
    "types": "cast try_cast int bigint smallint tinyint double float decimal string binary boolean date",
    "choices": "if ifnull nullif nvl nvl2 coalesce isnull isnotnull isnan nanvl equal_null greatest least",
    "numbers": "abs sign signum negative positive floor ceil ceiling round bround rint mod pmod power pow sqrt cbrt exp"
    " ln log log2 log10 try_add try_subtract try_multiply try_divide try_mod width_bucket conv bin",
    "bits": "shiftleft shiftright shiftrightunsigned bit_count bit_get getbit",
    "hashes": "crc32 hash xxhash64 md5 sha sha1 sha2",
    "text": "length len char_length character_length octet_length bit_length lower lcase upper ucase initcap trim btrim"
    " ltrim rtrim left right substr substring substring_index split_part split concat concat_ws replace translate"
    " reverse instr locate position startswith endswith contains ascii char chr levenshtein soundex find_in_set elt"
    " regexp_extract regexp_replace regexp_substr regexp_instr regexp_count regexp_like rlike like",
    "encodings": "hex unhex base64 unbase64 to_binary try_to_binary encode decode is_valid_utf8 to_number try_to_number"
    " get_json_object json_array_length",
    "lists": "array size cardinality array_size element_at try_element_at get array_contains array_position array_min"
    " array_max array_sort sort_array slice sequence transform filter aggregate exists forall zip_with flatten",
    "time": "year quarter month weekofyear day dayofmonth dayofweek dayofyear weekday hour minute second date_part"
    " datepart unix_millis unix_micros unix_seconds unix_date date_trunc trunc datediff date_diff",
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS: Final = frozenset().union(*map(_words, GROUPS.values()))
_BEFORE_BRACKETS: Final = _words("and or not in like ilike rlike regexp between is when then else case div")
_KEYWORDS: Final = _BEFORE_BRACKETS | _words("null true false end as")
_TYPES: Final = _words(
    "byte tinyint short smallint int integer long bigint float real double dec decimal numeric string binary boolean"
    " date timestamp timestamp_ntz timestamp_ltz array"
)
_TYPES_WITH_SIZE: Final = frozenset({"dec", "decimal", "numeric"})
# Shorter than every word that Spark takes for a function without brackets, such as `user`.
_VARIABLE: Final = re.compile(r"[a-z][a-z0-9]{0,2}")
_ARROW: Final = "->"
_MOST_CHARACTERS: Final = 10_000
_DEEPEST: Final = 60  # brackets within brackets; Spark's parser would run out of stack at some thousands
_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r\n]+ | --[^\r\n]*)
  | (?P<text>[xX]'[0-9a-fA-F]*' | '(?:[^'\\]|\\.)*')
  | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:[bB][dD]|[lLsSyYfFdD])?(?![A-Za-z0-9_.]))
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign><=>|->|::|\|\||>>>|<<|>>|<=|>=|<>|!=|==|[-+*%&|^~=<>!(),\[\]]|/(?!\*))
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class ImpureExpression(ValueError):
    """Why an expression is not one of the harmless ones, for people."""


def pure_sql(expression: str) -> str:
    """The expression for Spark, without its comments. Raises `ImpureExpression`."""
    if len(expression) > _MOST_CHARACTERS:
        raise ImpureExpression(f"it has {len(expression):,} characters; at most {_MOST_CHARACTERS:,} are allowed")
    tokens = list(_tokens(expression))
    if not tokens:
        raise ImpureExpression("it is empty")
    variables = set(_variables(tokens))
    depth = 0
    for place, (kind, token) in enumerate(tokens):
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth > _DEEPEST:
            raise ImpureExpression(f"its brackets are nested deeper than {_DEEPEST}")
        if kind == "word":
            following = tokens[place + 1][1] if place + 1 < len(tokens) else ""
            _refuse_unknown(token, calls=following == "(", variables=variables)
    return " ".join(token for _, token in tokens)


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if found is None:
            raise ImpureExpression(f"`{spelled(expression[at])}` is not allowed in it{_instead(expression, at)}")
        kind, token = str(found.lastgroup), found.group()
        if "${" in token and kind == "text":
            raise ImpureExpression("`${` is not allowed in it: Spark would put a variable of its machine there")
        if kind != "space":
            yield kind, token
        at = found.end()


def _variables(tokens: list[tuple[str, str]]) -> Iterator[str]:
    """Those of lambdas: `x -> …`, `(x, y) -> …`."""
    for place, (_, token) in enumerate(tokens):
        if token != _ARROW:
            continue
        for name in _declared_before(tokens, place):
            if _VARIABLE.fullmatch(name) is None or name in _KEYWORDS:
                raise ImpureExpression(
                    f"`{name}` is not allowed as a variable: use up to three small letters or digits"
                )
            yield name


def _declared_before(tokens: list[tuple[str, str]], arrow: int) -> Iterator[str]:
    at = arrow - 1
    if at >= 0 and tokens[at][0] == "word":
        yield tokens[at][1]
    elif at >= 0 and tokens[at][1] == ")":
        while at > 0 and (tokens[at - 1][0] == "word" or tokens[at - 1][1] == ","):
            at -= 1
            if tokens[at][0] == "word":
                yield tokens[at][1]


def _refuse_unknown(word: str, *, calls: bool, variables: set[str]) -> None:
    name = word.lower()
    if calls:
        if name not in FUNCTIONS | _BEFORE_BRACKETS | _TYPES_WITH_SIZE:
            raise ImpureExpression(
                f"it calls `{word}`, which is not one of the allowed functions{_close(name, FUNCTIONS)}"
            )
    elif name not in _KEYWORDS | _TYPES | {*COLUMNS} and word not in variables:
        known = ", ".join(f"`{column}`" for column in COLUMNS)
        raise ImpureExpression(f"`{word}` is not allowed in it: it may name {known}, functions and types")


def _close(name: str, known: frozenset[str]) -> str:
    close = difflib.get_close_matches(name[:40], sorted(known), n=1, cutoff=0.8)
    return f"; did you mean `{close[0]}`?" if close else ""


def _instead(expression: str, at: int) -> str:
    match expression[at]:
        case '"' | "'":
            return ": write text in single quotes, with \\' for a quote in it"
        case "`":
            return ": write the columns without it"
        case "/":
            return ": write comments as `-- …`"
    return ""
