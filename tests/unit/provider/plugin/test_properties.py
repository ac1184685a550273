"""The codec keeps every mark of the engine: unknown, secret, output."""

from __future__ import annotations

from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime import rpc

from kafka_topology.provider.plugin.properties import UNKNOWN, Output, Secret, has_unknown, reveal, rewrap
from kafka_topology.provider.plugin.property_codec import decode, encode

plain = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.just(UNKNOWN)
)
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
        | st.builds(Secret, inner)
        | st.builds(Output, inner, st.booleans(), st.lists(st.text(), max_size=2).map(tuple))
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), values, max_size=4))
def test_encoding_then_decoding_gives_the_same_values(properties):
    assert decode(encode(properties)) == properties


@given(st.dictionaries(st.text(), values, max_size=4))
def test_the_bytes_on_the_wire_round_trip(properties):
    wire = encode(properties).SerializeToString()
    assert decode(struct_pb2.Struct.FromString(wire)) == properties


@given(values)
def test_revealed_values_carry_no_marks_but_unknown(value):
    def marks(item):
        match item:
            case Secret() | Output():
                return True
            case list():
                return any(map(marks, item))
            case dict():
                return any(map(marks, item.values()))
            case _:
                return False

    assert not marks(reveal(value))
    assert has_unknown(reveal(value)) is has_unknown(value)


def test_the_signatures_are_those_of_the_pulumi_sdk():
    wire = encode({"secret": Secret("x"), "output": Output(1), "unknown": UNKNOWN})
    assert wire["secret"][rpc._special_sig_key] == rpc._special_secret_sig
    assert wire["output"][rpc._special_sig_key] == rpc._special_output_value_sig
    assert wire["unknown"] == rpc.UNKNOWN


def test_an_output_without_a_value_is_unknown():
    struct = struct_pb2.Struct()
    struct["later"] = {rpc._special_sig_key: rpc._special_output_value_sig, "secret": True}
    assert decode(struct) == {"later": Output(UNKNOWN, secret=True)}


def test_rewrap_changes_the_value_and_keeps_its_marks():
    double = lambda value: value * 2  # noqa: E731
    assert rewrap(Secret(Output(2, True, ("urn",))), double) == Secret(Output(4, True, ("urn",)))
    assert rewrap(Secret(UNKNOWN), double) == Secret(UNKNOWN)


def test_a_secret_does_not_show_in_its_representation():
    assert "hunter2" not in repr(Secret("hunter2")) + repr(Output("hunter2", secret=True))
