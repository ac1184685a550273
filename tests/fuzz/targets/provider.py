"""The plugin answers every request: a response, or a status with a reason. Never a mistake of its own.

The codec keeps what it understands: decoded, encoded and decoded again is the same. No cluster can be reached here, so
each request gets as far as its inputs take it.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from typing import Any

import grpc
from google.protobuf import struct_pb2
from grpc_engine import provider
from hypothesis import given
from hypothesis import strategies as st

from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.provider.plugin.property_codec import (
    _OUTPUT,
    _SECRET,
    _SIGNATURE,
    _UNKNOWN_TEXTS,
    NotFinite,
    decode,
    encode,
)
from kafka_topology.provider.plugin.protocol import provider_pb2
from kafka_topology.provider.plugin.schema import schema_text

WEIGHT = 2.0
LOOP = asyncio.new_event_loop()
SCHEMA = json.loads(schema_text())
KINDS = [*SCHEMA["resources"], "kafka-topology:index:Nothing", "x", ""]
CONFIG_NAMES = sorted(SCHEMA["config"]["variables"])
PROPER = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
TEXTS = (
    st.sampled_from(
        [*sorted(_UNKNOWN_TEXTS), _SECRET, _OUTPUT, "", "t", "*", "..", "User:a", "1", "all", "127.0.0.1:1"]
    )
    | st.sampled_from(["CLUSTER", "ANY", "PREFIXED", "SCRAM-SHA-512", "earliest", "2026-01-01T00:00:00Z", "a" * 300])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
LEAVES = st.builds(struct_pb2.Value) | st.one_of(
    st.builds(struct_pb2.Value, null_value=st.just(0)),
    st.builds(struct_pb2.Value, bool_value=st.booleans()),
    st.builds(struct_pb2.Value, number_value=st.integers(-2, 6) | st.floats() | st.sampled_from([2.0**31, 2.0**63])),
    st.builds(struct_pb2.Value, string_value=TEXTS),
)

FITTING = [struct_pb2.Value(string_value=text) for text in ("t", "User:a", "SCRAM-SHA-512", "x")] + [
    struct_pb2.Value(number_value=number) for number in (1, 3)
]


@cache
def _names(kind: str) -> st.SearchStrategy[str]:
    known = sorted(SCHEMA["resources"].get(kind, {}).get("properties", {})) or CONFIG_NAMES
    marks = [_SIGNATURE, "value", "secret", "dependencies", "__version", "__defaults", "retention.ms"]
    return st.sampled_from([*known, *marks]) | st.sampled_from(known) | TEXTS


@cache
def _structs(kind: str) -> st.SearchStrategy[struct_pb2.Struct]:
    def structs(values: st.SearchStrategy[struct_pb2.Value], most: int) -> st.SearchStrategy[struct_pb2.Struct]:
        return st.builds(struct_pb2.Struct, fields=st.dictionaries(_names(kind), values, max_size=most))

    def deeper(values: st.SearchStrategy[struct_pb2.Value]) -> st.SearchStrategy[struct_pb2.Value]:
        lists = st.builds(struct_pb2.ListValue, values=st.lists(values, max_size=3))
        marked = st.builds(
            lambda mark, value: struct_pb2.Struct(
                fields={_SIGNATURE: struct_pb2.Value(string_value=mark), "value": value}
            ),
            st.sampled_from([_SECRET, _OUTPUT]),
            values,
        )
        return st.builds(struct_pb2.Value, list_value=lists) | st.builds(
            struct_pb2.Value, struct_value=structs(values, 3) | marked
        )

    return structs(st.recursive(LEAVES, deeper, max_leaves=8), 8)


@given(struct=st.sampled_from(KINDS).flatmap(_structs))
def fuzz_codec(struct: struct_pb2.Struct) -> None:
    try:
        properties = decode(struct)
    except NotFinite:
        return
    assert decode(struct_pb2.Struct.FromString(encode(properties).SerializeToString())) == properties


def _unreachable(_: Any) -> Any:
    raise ClusterUnreachableError("no cluster answers in a fuzz test")


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, Any]:
    kind = draw(st.sampled_from(KINDS))
    structs = _structs(kind)
    urn = f"urn:pulumi:dev::project::{kind}::{draw(TEXTS)}" if draw(st.integers(0, 9)) else draw(TEXTS)
    call = draw(
        st.sampled_from(["Check", "Diff", "Create", "Update", "Read", "Delete", "Invoke", "CheckConfig", "DiffConfig"])
    )
    common = {"urn": urn, "type": kind}
    old = {"id": draw(TEXTS), "old_inputs": draw(structs)}
    preview = {"preview": draw(st.booleans()), "timeout": draw(st.sampled_from([0, 1, -1, 1e300]))}
    of_config = _structs("")
    match call:
        case "Check":
            made = provider_pb2.CheckRequest(**common, olds=draw(structs), news=draw(structs), name=draw(TEXTS))
        case "Diff":
            made = provider_pb2.DiffRequest(**common, **old, olds=draw(structs), news=draw(structs))
        case "Create":
            made = provider_pb2.CreateRequest(**common, **preview, properties=draw(structs))
        case "Update":
            made = provider_pb2.UpdateRequest(**common, **old, **preview, olds=draw(structs), news=draw(structs))
        case "Read":
            made = provider_pb2.ReadRequest(**common, id=draw(TEXTS), inputs=draw(structs), properties=draw(structs))
        case "Delete":
            made = provider_pb2.DeleteRequest(**common, **old, properties=draw(structs))
        case "Invoke":
            made = provider_pb2.InvokeRequest(
                tok=draw(st.just("kafka-topology:index:previewState") | TEXTS), args=draw(structs)
            )
        case "CheckConfig":
            made = provider_pb2.CheckRequest(urn=urn, olds=draw(of_config), news=draw(of_config))
        case _:
            made = provider_pb2.DiffRequest(urn=urn, **old, olds=draw(of_config), news=draw(of_config))
    return call, made


@cache
def _stub() -> Any:
    held = provider({"bootstrapServers": "127.0.0.1:1"}, connect=_unreachable)
    return LOOP.run_until_complete(held.__aenter__()).stub, held  # kept, or the server ends with it


def _answers(call: str, message: Any, proper: frozenset[grpc.StatusCode]) -> Any:
    stub, _ = _stub()

    async def ask() -> Any:
        return await getattr(stub, call)(message, timeout=60)

    try:
        return LOOP.run_until_complete(ask())
    except grpc.RpcError as error:
        refused = error
    assert refused.code() in proper, f"{refused.code()}: {refused.details()}"
    assert refused.details()
    return None


@given(request=requests())
def fuzz_servicer(request: tuple[str, Any]) -> None:
    """INTERNAL, a mistake in the plugin, is no answer to what the engine may send."""
    call, message = request
    _answers(call, message, PROPER if _may_come(call, message) else PROPER | {grpc.StatusCode.INTERNAL})


def _may_come(call: str, message: Any) -> bool:
    """Some calls see what a program wrote. The others get what Check accepted; an import has only an id."""
    if call in {"Check", "CheckConfig", "DiffConfig", "Invoke"}:
        return True
    if call == "Read" and not message.inputs.fields and not message.properties.fields:
        return True
    given = ("inputs", "properties", "olds", "old_inputs", "news")
    held = [getattr(message, name) for name in given if name in message.DESCRIPTOR.fields_by_name]
    return all(_is_accepted(message, each) for each in held)


def _is_accepted(message: Any, properties: struct_pb2.Struct) -> bool:
    asked = provider_pb2.CheckRequest(urn=message.urn, type=message.type, name="r", news=properties)
    checked = _answers("Check", asked, PROPER)
    return checked is not None and not checked.failures and checked.inputs == properties  # it adds the name


@st.composite
def states(draw: st.DrawFn, kind: str, inputs: struct_pb2.Struct) -> struct_pb2.Struct:
    """What a state may hold of these inputs: the outputs too, and less or more than this version writes."""
    held = struct_pb2.Struct()
    held.CopyFrom(inputs)
    schema = SCHEMA["resources"][kind]
    for name, output in schema["properties"].items():
        if name not in schema["inputProperties"] and draw(st.booleans()):
            held.fields[name].CopyFrom(draw(_COMPUTED[output.get("type", "object")]))
    optional = sorted(set(held.fields) - set(schema.get("required", ())) - set(schema.get("requiredInputs", ())))
    for name in draw(st.lists(st.sampled_from(optional), max_size=3)) if optional else ():
        held.fields.pop(name, None)
    if draw(st.booleans()):
        held.fields["ofAnotherVersion"].CopyFrom(draw(LEAVES))
    return held


_COMPUTED = {
    "string": st.builds(struct_pb2.Value, string_value=TEXTS),
    "integer": st.builds(struct_pb2.Value, number_value=st.integers(0, 2**53)),
    "array": st.just(struct_pb2.Value(list_value=struct_pb2.ListValue())),
    "object": st.just(struct_pb2.Value(struct_value=struct_pb2.Struct())),
}


@given(kind=st.sampled_from([*SCHEMA["resources"]]), data=st.data())
def fuzz_checked(kind: str, data: st.DataObject) -> None:
    """What Check accepts, every later call of the engine takes, with any state that these inputs may have left."""
    properties = data.draw(_structs(kind))
    for name in SCHEMA["resources"][kind].get("requiredInputs", ()):
        properties.fields[name].CopyFrom(data.draw(st.sampled_from(FITTING)))
    urn = f"urn:pulumi:dev::project::{kind}::r"
    checked = _answers("Check", provider_pb2.CheckRequest(urn=urn, type=kind, name="r", news=properties), PROPER)
    if checked is None or checked.failures:
        return
    common = {"urn": urn, "type": kind}
    state = data.draw(states(kind, checked.inputs))
    old = {"id": data.draw(st.just("r") | TEXTS), "old_inputs": checked.inputs}
    new = {"olds": state, "news": checked.inputs}
    _answers("Check", provider_pb2.CheckRequest(**common, name="r", olds=state, news=checked.inputs), PROPER)
    _answers("Diff", provider_pb2.DiffRequest(**common, **old, **new), PROPER)
    for preview in (True, False):
        created = provider_pb2.CreateRequest(**common, properties=checked.inputs, preview=preview)
        _answers("Create", created, PROPER)
        _answers("Update", provider_pb2.UpdateRequest(**common, **old, **new, preview=preview), PROPER)
    read = provider_pb2.ReadRequest(**common, id=old["id"], inputs=checked.inputs, properties=state)
    _answers("Read", read, PROPER)
    _answers("Delete", provider_pb2.DeleteRequest(**common, **old, properties=state), PROPER)
