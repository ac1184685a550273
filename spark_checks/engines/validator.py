"""JSON Schema in Spark's Python workers: by jsonschema-rs, which is compiled, or by jsonschema where it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import Outcome
from ..conditions.schemas import JsonSchema

if TYPE_CHECKING:
    from pyspark.sql import Column

PACKAGE = "jsonschema-rs or jsonschema"


class BrokenSchema(Exception):
    """Why the validator refuses a schema."""


def json_outcome(part: Column, schema: JsonSchema) -> Column:
    """An `Outcome` per record, null for null. A plain Python function: it needs no Arrow on any side."""
    return F.udf(_judge(schema), "int")(part)


def compiled(schema: JsonSchema) -> None:
    """Compiles the schema on the driver, to know. Raises `BrokenSchema`, or ImportError without either package."""
    try:
        _validator(schema)
    except _complaints() as error:
        raise BrokenSchema(str(error).split("\n", 1)[0]) from None


def outcome_of(schema: JsonSchema, part: bytes | None) -> int | None:
    return _judge(schema)(part)


def _complaints() -> tuple[type[Exception], ...]:
    """What the packages raise for a schema that they cannot use."""
    try:
        import jsonschema_rs  # noqa: PLC0415 - an extra's dependency
    except ImportError:
        from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - slow to load
        from referencing.exceptions import Unresolvable  # noqa: PLC0415

        return (ValueError, SchemaError, Unresolvable)
    return (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError)


def _validator(schema: JsonSchema) -> Any:
    return _make_validator()(schema.address, schema.documents)


def _make_validator() -> Callable[[str, tuple[tuple[str, str], ...]], Any]:
    """See `_judge`: everything that a worker runs is inside one function."""

    def uncompiled(address: str, schemas: dict[str, Any]) -> Any:
        """The same by jsonschema. What it would find out in the midst of the records is looked for here."""
        import json  # noqa: PLC0415
        from urllib.parse import urljoin  # noqa: PLC0415

        from jsonschema import Draft202012Validator  # noqa: PLC0415
        from jsonschema.validators import validator_for  # noqa: PLC0415
        from referencing import Registry  # noqa: PLC0415
        from referencing.jsonschema import DRAFT202012, specification_with  # noqa: PLC0415

        kind: Any = validator_for(schemas[address], default=Draft202012Validator)
        draft = specification_with(kind.META_SCHEMA["$schema"], default=DRAFT202012)
        resources = {at: draft.create_resource(schema) for at, schema in schemas.items()}
        registry: Any = Registry().with_resources(resources.items())

        def follow(resource: Any, resolver: Any) -> None:
            held = resource.contents
            if isinstance(held, dict) and isinstance(held.get("$ref"), str):
                resolver.lookup(held["$ref"])
            for part in resource.subresources():
                follow(part, resolver.in_subresource(part))

        for at, resource in resources.items():
            kind.check_schema(resource.contents, format_checker=kind.FORMAT_CHECKER)  # patterns too
            follow(resource, registry.resolver(at).in_subresource(resource))
        whole = kind({"$ref": urljoin(address, resources[address].id() or "")}, registry=registry)

        class Strict:
            def is_valid(self, document: Any) -> bool:
                json.dumps(document, ensure_ascii=False).encode()  # ValueError for half a surrogate pair
                return bool(whole.is_valid(document))

        return Strict()

    def validator(address: str, documents: tuple[tuple[str, str], ...]) -> Any:
        import json  # noqa: PLC0415

        schemas = {at: json.loads(text) for at, text in documents}
        try:
            import jsonschema_rs  # noqa: PLC0415
        except ImportError:
            return uncompiled(address, schemas)
        return jsonschema_rs.validator_for(
            schemas[address],
            registry=jsonschema_rs.Registry(list(schemas.items())),
            base_uri=address,
            offline=True,
            validate_formats=False,  # an annotation, as the current draft has it
        )

    return validator


def _make_numbers() -> Callable[[], Any]:
    """A function that workers run, as `_make_validator` gives one."""

    def numbers() -> Any:
        """Numbers as they are written, not rounded to 64 bits, where the validator takes them."""
        try:
            import jsonschema_rs  # noqa: F401, PLC0415
        except ImportError:
            return float
        from decimal import Decimal  # noqa: PLC0415

        return Decimal

    return numbers


def _judge(schema: JsonSchema) -> Callable[[bytes | None], int | None]:
    """The function that workers run. Everything it uses is inside of it, so it is sent by value: workers need the
    validator's package, not ours."""
    make, numbers = _make_validator(), _make_numbers()
    address, documents = schema.address, schema.documents
    fine, unreadable, framed = int(Outcome.FINE), int(Outcome.UNREADABLE), int(Outcome.FRAMED)
    breaks, not_validated = int(Outcome.BREAKS_SCHEMA), int(Outcome.NOT_VALIDATED)
    ready: list[Any] = []  # per worker: the validator, and a decoder of strict JSON

    def prepare() -> None:
        import json  # noqa: PLC0415

        def refuse(constant: str) -> None:
            raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's

        ready.extend((make(address, documents), json.JSONDecoder(parse_constant=refuse, parse_float=numbers())))

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
