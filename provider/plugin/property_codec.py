"""The engine's property values as Python values, and back.

The engine sends property maps as protobuf structs in which unknown values, secrets and outputs are
marked by signatures. Decoding and then encoding keeps every mark. This is a separate module, because protobuf
is slow to load, and code that only handles values does not need it.
"""

from __future__ import annotations

import math
from typing import Final

from google.protobuf import struct_pb2

from .properties import UNKNOWN, Output, Properties, Secret, Unknown, Value

_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a signature
_OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
_UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# One sentinel per type; the engine uses the one for the type of the unknown value.
_UNKNOWN_TEXTS: Final = frozenset(
    {
        _UNKNOWN_TEXT,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # bool
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # number
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # list
        "030794c1-ac77-496b-92df-f27374a8bd58",  # asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
    }
)


class NotFinite(ValueError):
    """A number that is infinite or none at all: no setting of Kafka can be it."""

    def __init__(self, number: float, *path: str) -> None:
        super().__init__(f"{'.'.join(path)}: {number} is not a finite number")
        self.number = number
        self.path = path


def decode(struct: struct_pb2.Struct) -> dict[str, Value]:
    """Raises `NotFinite` with the names that lead to the number."""
    decoded: dict[str, Value] = {}
    for key, value in struct.fields.items():
        try:
            decoded[key] = _decode(value)
        except NotFinite as error:
            raise NotFinite(error.number, key, *error.path) from None
    return decoded


def encode(properties: Properties) -> struct_pb2.Struct:
    return struct_pb2.Struct(fields={key: _encode(value) for key, value in properties.items()})


def _decode(value: struct_pb2.Value) -> Value:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return _decode_struct(value.struct_value)
    if kind == "list_value":
        return [_decode(item) for item in value.list_value.values]
    if kind == "string_value":
        return UNKNOWN if value.string_value in _UNKNOWN_TEXTS else value.string_value
    if kind == "number_value":
        number = value.number_value
        if not math.isfinite(number):
            raise NotFinite(number)
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    return None


def _decode_struct(struct: struct_pb2.Struct) -> Value:
    fields = struct.fields
    signature = fields[_SIGNATURE].string_value if _SIGNATURE in fields else ""
    if signature == _SECRET:
        return Secret(_decode(fields["value"]))
    if signature == _OUTPUT:
        return Output(
            _decode(fields["value"]) if "value" in fields else UNKNOWN,
            secret=fields["secret"].bool_value if "secret" in fields else False,
            dependencies=tuple(item.string_value for item in fields["dependencies"].list_value.values)
            if "dependencies" in fields
            else (),
        )
    return decode(struct)


def _encode(value: Value) -> struct_pb2.Value:
    match value:
        case None:
            return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
        case bool():
            return struct_pb2.Value(bool_value=value)
        case int() | float():
            return struct_pb2.Value(number_value=value)
        case str():
            return struct_pb2.Value(string_value=value)
        case Unknown():
            return struct_pb2.Value(string_value=_UNKNOWN_TEXT)
        case Secret(inner):
            return _encode({_SIGNATURE: _SECRET, "value": inner})
        case Output():
            return _encode(_output_fields(value))
        case list():
            items = [_encode(item) for item in value]
            return struct_pb2.Value(list_value=struct_pb2.ListValue(values=items))
        case dict():
            return struct_pb2.Value(struct_value=encode(value))


def _output_fields(output: Output) -> dict[str, Value]:
    fields: dict[str, Value] = {_SIGNATURE: _OUTPUT}
    if output.value is not UNKNOWN:
        fields["value"] = output.value
    if output.secret:
        fields["secret"] = True
    if output.dependencies:
        fields["dependencies"] = list(output.dependencies)
    return fields
