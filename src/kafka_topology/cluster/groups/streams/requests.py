"""The request about groups of the streams protocol (KIP-1071), which neither librdkafka nor kafka-python has."""

from __future__ import annotations

from kafka.protocol.api_message import ApiMessage

from . import messages


class StreamsGroupDescribeRequest(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]  # untyped
    pass


class StreamsGroupDescribeResponse(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass
