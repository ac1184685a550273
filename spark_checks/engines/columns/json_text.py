"""JSON text and its fields as Spark columns. `DiffersFromField` says what the text of a field is.

Spark's own ways to a field rewrite numbers (1.10 becomes 1.1), take the first of two equal names, or ignore text behind
the document. So `from_json` reads the field as text, with strict options and with a mark behind the document that shows
where it ends. Numbers are then still rewritten; where the text may be one that was a float, a zero, an array or an
object, the document is read again with every token marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

if TYPE_CHECKING:
    from pyspark.sql import Column

_STRICT = {
    "mode": "PERMISSIVE",
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
    "maxNumLen": str(2**31 - 1),
    "maxStringLen": str(2**31 - 1),
}
_END = "\x1eend"  # a name that the mark behind a document has
_AFTER = ',{"\\u001eend":"1"}]'
_MARK = '{"\\u001Eend":"1"}'  # as Spark writes it
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_TOKEN = rf'("[^"]*+")|({_NUMBER})(?=[ \t\n\r]*+(?:[,\]}}]|\z))'
_RAW_CONTROL = r"[\x00-\x08\x0B\x0C\x0E-\x1F]"  # no JSON text has these
# What `from_json` may have rewritten: floats, zeros (-0), and whatever looks like an array or an object.
_MAYBE_REWRITTEN = r"\A(?:[\[{]|-?[0-9]+(?:[.][0-9]+)?(?:E-?[0-9]+)?\z|\"?-?Infinity)"
_WHOLE = r"\A-?[1-9][0-9]*\z"
_HIGH, _LOW = (rf"\\u[dD][{second}][0-9a-fA-F]{{2}}" for second in ("89abAB", "c-fC-F"))
_ESCAPED_SURROGATE = r"\\u[dD][89a-fA-F]"
_HALF_OF_PAIR = rf"{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW}"
_STRING, _DIGITS = "\x1f", "\x1e"  # what marked strings (and names), and marked numbers, begin with


def is_json(part: Column) -> Column:
    """Whether the bytes are one JSON text and nothing else, in UTF-8, as RFC 8259 has it."""
    text = part.cast("string")
    both = F.from_json(_between_marks(text), T.ArrayType(T.StringType()), _STRICT)
    return is_text(text) & F.coalesce(once(both, _is_one), F.lit(False))


def is_text(text: Column) -> Column:
    return F.call_function("is_valid_utf8", text)


def json_field(part: Column, path: Sequence[str]) -> Column:
    """The text of a field; null where it is missing or null, or where the bytes are not JSON.

    Whether they are is asked first: `from_json` goes on after a mistake inside of a field that it reads.
    """
    return once(part.cast("string"), lambda text: F.when(is_json(text), _field(text, path)))


def once(column: Column, use: Callable[[Column], Column]) -> Column:
    """What `use` makes of a column that it names several times: Spark would compute it as often."""
    return F.transform(F.array(column), use)[0]


def _field(text: Column, path: Sequence[str]) -> Column:
    return F.when(text.rlike(_ESCAPED_SURROGATE), _of_whole_pairs(text, path)).otherwise(_whole_field(text, path))


def _of_whole_pairs(text: Column, path: Sequence[str]) -> Column:
    """The field, unless half a surrogate pair is in it: UTF-8 cannot say that, and Spark makes it a question mark.

    Read with two characters in place of the halves: the text that has one then differs.
    """
    escaped = F.call_function("replace", text, F.lit("\\\\"), F.lit("\\u005c"))
    both = F.array(*(F.regexp_replace(escaped, _HALF_OF_PAIR, rf"\\u000{digit}") for digit in (1, 2)))
    return once(F.transform(both, lambda each: _exact(each, path)), _if_same)


def _if_same(both: Column) -> Column:
    return F.when(both[0] == both[1], both[0])


def _whole_field(text: Column, path: Sequence[str]) -> Column:
    if not path:
        return _exact(text, path)

    def checked(quick: Column) -> Column:
        same = ~quick.rlike(_MAYBE_REWRITTEN) | quick.rlike(_WHOLE)
        # Where an object is repeated as something else, `from_json` keeps what it read of the first.
        sure = F.coalesce(same, F.lit(True)) & ~_may_repeat(text, path[:-1]) if path[:-1] else quick.isNull() | same
        return F.when(sure, quick).otherwise(_exact(text, path))

    return once(_found(_between_marks(text), path), checked)


def _may_repeat(text: Column, names: Sequence[str]) -> Column:
    """Whether a document may have one of the names twice. A name with escapes could be any."""
    several = [F.size(F.split(text, _quoted_pattern(name), 3)) > 2 for name in names]
    return reduce(lambda left, right: left | right, several, F.contains(text, F.lit("\\")))


def _quoted_pattern(name: str) -> str:
    return "".join(f"\\x{{{ord(each):x}}}" for each in f'"{name}"')


def _exact(text: Column, path: Sequence[str]) -> Column:
    """The same from a document whose strings, names and numbers are marked, and whose numbers are strings."""
    found = _found(_between_marks(_marked(text)), [_STRING + name for name in path[:1]])
    for name in path[1:]:
        found = _inside(found, _STRING + name)
    return F.when(~text.rlike(_RAW_CONTROL), once(found, _unmarked))


def _inside(found: Column, name: str) -> Column:
    return once(found, lambda text: F.when(text.startswith("{"), _found(_between_marks(text), [name])))


def _unmarked(found: Column) -> Column:
    unnamed = F.call_function("replace", found, F.lit('"\\u001F'), F.lit('"'))
    inner = F.regexp_replace(unnamed, r'"\\u001E([^"]*)"', "$1")
    scalar = F.substring(found, F.lit(2), F.length(found))
    return F.when(found.rlike(r"\A[\[{]"), inner).when(found.rlike(r"\A[\x1E\x1F]"), scalar).otherwise(found)


def _marked(text: Column) -> Column:
    """Escaped backslashes and quotes are written as numbers first, so that the next quote ends a string."""
    for old, new in (("\\\\", "\\u005c"), ('\\"', "\\u0022")):
        text = F.call_function("replace", text, F.lit(old), F.lit(new))
    text = F.regexp_replace(text, _TOKEN, "\x1d$1\x1e$2\x1f")
    for old, new in (
        ("\x1d\x1e", f'"\\u{ord(_DIGITS):04x}'),  # a number opens
        ('\x1d"', f'"\\u{ord(_STRING):04x}'),  # a string opens
        ("\x1e\x1f", ""),  # it has its own closing quote
        ("\x1f", '"'),  # a number closes
    ):
        text = F.call_function("replace", text, F.lit(old), F.lit(new))
    return text


def _between_marks(text: Column) -> Column:
    return F.concat(F.lit("["), text, F.lit(_AFTER))


def _found(text: Column, path: Sequence[str]) -> Column:
    """What lies at the path of the document before the mark, as text."""
    if path:
        return once(_read(text, path), lambda read: F.when(_is_whole(read), reduce(_member, path, read[0])))
    both = F.from_json(text, T.ArrayType(T.StringType()), _STRICT)
    return once(both, lambda read: F.when(_is_one(read), read[0]))


def _member(struct: Column, name: str) -> Column:
    return struct.getField(name)


def _read(text: Column, path: Sequence[str]) -> Column:
    """An array of the document and the mark behind it; only what lies at the path is read."""
    fields: list[T.StructField] = []
    kind: T.DataType = T.StringType()
    for name in reversed(path):
        fields = [T.StructField(name, kind)]
        kind = T.StructType(fields)
    element = T.StructType([*fields, T.StructField(_END, T.StringType())])
    return F.from_json(text, T.ArrayType(element), _STRICT)


def _is_one(read: Column) -> Column:
    return (F.size(read) == 2) & F.coalesce(read[1] == F.lit(_MARK), F.lit(False))


def _is_whole(read: Column) -> Column:
    return (F.size(read) == 2) & F.coalesce(read[1][_END] == "1", F.lit(False))
