"""The columns that decoding adds to a frame; see `conditions/decoding.py` for what they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.avro.functions import from_avro

from ...conditions.decoding import Decoding, KeyText
from ...conditions.record import Outcome
from ...conditions.schemas import AvroSchema
from ..validator import json_outcome
from .avro_json import json_of
from .conditions import partitions_at_the_time
from .contents import SCHEMA_ID_FRAME, in_share, is_framed
from .json_text import json_field

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Avro does not say where a record ends, so bytes after it would pass. Decoded as the field of a record whose last
# field are these bytes, a record that is too long or too short leaves something else there.
_END = bytes.fromhex("9f1c6b0d54e8a37211c0de5afe77b1e4")


def decoded(frame: DataFrame, decoding: Decoding) -> DataFrame:
    key, value = F.col("key"), F.col("value")
    added: dict[str, Column] = {}
    if decoding.eras:
        added["partitions"] = partitions_at_the_time(decoding.eras)
    if decoding.key_json is not None:
        added["key_outcome"] = json_outcome(key, decoding.key_json)
    if decoding.value_json is not None:
        judged = value if decoding.share is None else F.when(in_share(decoding.share), value)
        added["value_outcome"] = json_outcome(judged, decoding.value_json)
    key_json = None
    if decoding.key_avro is not None:
        key_json = _json_of_avro(key, decoding.key_avro)
        added["key_outcome"] = _avro_outcome(key, key_json)
    if decoding.key_text is not None:
        added["key_text"] = _key_text(key, decoding.key_text, key_json)
        added["key_json"] = _key_json(key, decoding.key_text, key_json)
    if decoding.value_avro is not None:
        text = _json_of_avro(value, decoding.value_avro)
        added["value_outcome"] = _avro_outcome(value, text)
        added["value"] = F.coalesce(text.cast("binary"), value)
    return frame.withColumns(added) if added else frame


def _key_text(key: Column, kind: KeyText, avro: Column | None) -> Column:
    match kind:
        case "plain":
            return key.cast("string")
        case "int":
            unsigned = F.conv(_digits(key), 16, 10).cast("bigint")
            number = F.when(unsigned < F.lit(1 << 31), unsigned).otherwise(unsigned - F.lit(1 << 32))
            return F.when(F.length(key) == 4, number.cast("string"))
        case "long":
            return F.when(F.length(key) == 8, F.conv(_digits(key), 16, -10))
        case "json":
            return json_field(key, ())
        case "avro":
            return F.lit(None).cast("string") if avro is None else json_field(avro, ())
        case "base64":
            return F.call_function("replace", F.base64(key), F.lit("\r\n"), F.lit(""))


def _key_json(key: Column, kind: KeyText, avro: Column | None) -> Column:
    """Keys that have members. The text of a JSON string may look like an object, but it has none."""
    if kind == "json":
        return key.cast("string")
    return F.lit(None).cast("string") if avro is None else avro


def _digits(key: Column) -> Column:
    """Of no more than 8 bytes: a key of another length is no number, but must not overflow one either."""
    return F.hex(F.substring(key, 1, 8))


def _json_of_avro(part: Column, schema: AvroSchema) -> Column:
    """JSON text of the Avro after the schema-id frame, null where it is not exactly one record of the schema."""
    end = {"type": "fixed", "name": "KafkaTopologyEnd_", "size": len(_END)}
    fields = [{"name": "datum", "type": json.loads(schema.text)}, {"name": "end", "type": end}]
    whole = json.dumps({"type": "record", "name": "KafkaTopologyWhole_", "fields": fields})
    body = F.substring(part, F.lit(SCHEMA_ID_FRAME + 1), F.length(part))
    read = from_avro(F.concat(body, F.lit(_END)), whole, {"mode": "PERMISSIVE"})
    return F.when(is_framed(part) & read["end"].eqNullSafe(F.lit(_END)), json_of(read["datum"], schema.text))


def _avro_outcome(part: Column, text: Column) -> Column:
    fault = F.when(~is_framed(part), F.lit(int(Outcome.UNFRAMED))).when(text.isNull(), F.lit(int(Outcome.UNREADABLE)))
    return F.when(part.isNotNull(), fault)
