"""JSON Schema in Spark's Python workers, with a compiled validator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from .conditions import Outcome
from .schemas import JsonSchema

if TYPE_CHECKING:
    from pyspark.sql import Column

PACKAGE = "jsonschema-rs"


class BrokenSchema(Exception):
    """Why the validator refuses a schema."""


def json_outcome(part: Column, schema: JsonSchema) -> Column:
    """A `Outcome` per record, null for null. A plain Python function: it needs no Arrow on any side."""
    return F.udf(_judge(schema), "int")(part)


def compiled(schema: JsonSchema) -> None:
    """Compiles the schema on the driver, to know. Raises `BrokenSchema`, or ImportError without the package."""
    import jsonschema_rs  # noqa: PLC0415 - an extra's dependency

    try:
        _validator(schema)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        raise BrokenSchema(str(error).split("\n", 1)[0]) from None


def outcome_of(schema: JsonSchema, part: bytes | None) -> int | None:
    return _judge(schema)(part)


def _validator(schema: JsonSchema) -> Any:
    return _make_validator()(schema.address, schema.documents)


def _make_validator() -> Callable[[str, tuple[tuple[str, str], ...]], Any]:
    """See `_judge`: what a worker runs stands inside of a function."""

    def validator(address: str, documents: tuple[tuple[str, str], ...]) -> Any:
        import json  # noqa: PLC0415

        import jsonschema_rs  # noqa: PLC0415

        schemas = {at: json.loads(text) for at, text in documents}
        return jsonschema_rs.validator_for(
            schemas[address],
            registry=jsonschema_rs.Registry(list(schemas.items())),
            base_uri=address,
            offline=True,
            validate_formats=False,  # an annotation, as the current draft has it
        )

    return validator


def _judge(schema: JsonSchema) -> Callable[[bytes | None], int | None]:
    """The function that workers run. Everything it uses is inside of it, so it is sent by value: workers need the
    validator's package, not ours."""
    make, address, documents = _make_validator(), schema.address, schema.documents
    fine, unreadable, framed = int(Outcome.FINE), int(Outcome.UNREADABLE), int(Outcome.FRAMED)
    breaks, not_validated = int(Outcome.BREAKS_SCHEMA), int(Outcome.NOT_VALIDATED)
    ready: list[Any] = []  # per worker: the validator, and a decoder of strict JSON

    def prepare() -> None:
        import json  # noqa: PLC0415

        def refuse(constant: str) -> None:
            raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's

        ready.extend((make(address, documents), json.JSONDecoder(parse_constant=refuse)))

    def judge(part: bytes | None) -> int | None:
        if part is None:
            return None
        if not ready:
            try:
                prepare()
            except ImportError:
                return not_validated
        if len(part) > 4 and part[0] == 0:
            return framed
        validator, decoder = ready
        try:
            document = decoder.decode(part.decode("utf-8"))
            return fine if validator.is_valid(document) else breaks
        except (ValueError, RecursionError):
            return unreadable

    return judge
