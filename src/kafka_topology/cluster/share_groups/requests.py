"""The requests about share groups (KIP-932), which neither librdkafka nor kafka-python has.

kafka-python makes messages from JSON schemas, and sends any message on its own connections: with the same TLS and the
same login as every other request. So these schemas are all that is missing.
"""

from __future__ import annotations

from kafka.protocol.api_message import ApiMessage

from . import messages


class ShareGroupDescribeRequest(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]  # untyped
    pass


class ShareGroupDescribeResponse(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass


class AlterShareGroupOffsetsRequest(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass


class AlterShareGroupOffsetsResponse(ApiMessage, load_json=messages):  # type: ignore[misc,call-arg]
    pass
