"""Both engines of the record checks find in any records what plain Python finds: JSON of every shape, and random bytes.

Spark takes seconds to start, so there is one for the run, and each example is a batch of many records.
"""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from json_documents import some_documents
from plain_tally import Record, plain_tally
from some_records import EVERYTHING, frame_of, in_order, some_records

from kafka_topology.spark_checks.engines.choice import best_engine
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, best_hashes
from kafka_topology.spark_checks.engines.compiled import CompiledEngine
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.spark_checks.results.scan import Wanted
from kafka_topology.toolchain import ensure_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHARE = 0.04
EXAMPLES = 2  # batches in a round
NAMES = st.sampled_from(["id", "sequence", "at", "time", "", "a.b"]) | st.text(max_size=4)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SHAPES = st.recursive(LEAVES, lambda each: st.lists(each, max_size=3) | st.dictionaries(NAMES, each, max_size=4))
WANTED = Wanted((1 << len(EVERYTHING)) - 2, 3)


@st.composite
def values(draw: st.DrawFn) -> bytes | None:
    """JSON of any shape, often with some of its bytes replaced."""
    text = json.dumps(draw(SHAPES), ensure_ascii=draw(st.booleans())).encode()
    if draw(st.booleans()):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.binary(max_size=3)) + text[at + draw(st.integers(0, 3)) :]
    return draw(st.sampled_from([text, text, text, None])) if text else None


KEYS = st.none() | st.binary(max_size=40) | st.sampled_from([b"", b"k", b"\0\0\0\1", b"a" * 36])
RECORDS = st.lists(st.tuples(KEYS, values() | st.binary(max_size=30), st.integers(0, 4_000)), max_size=25)


@cache
def _engines() -> tuple[SparkSession, tempfile.TemporaryDirectory[str], CompiledEngine, PureEngine]:
    held = tempfile.TemporaryDirectory()
    spark = start(jars=ensure_spark(pyspark.__version__), master="local[1]", log_file=Path(held.name, "spark.log"))
    spark.sparkContext.setLogLevel("OFF")
    engine = best_engine(spark, best_hashes(spark))
    assert isinstance(engine, CompiledEngine), "the jar is missing: make setup"
    return spark, held, engine, PureEngine(BuiltInHashes())


def _batch(seed: int, drawn: list[tuple[Any, Any, int]]) -> list[Record]:
    """Records of one seed, documents of another kind in partition 3, and what was drawn in partition 4."""
    documents = (each for each in some_documents(seed=seed, count=200) if len(each) < 20_000 and b'{"deep"' not in each)
    chance = random.Random(seed)  # noqa: S311 - repeatable
    return [
        *some_records(seed, 250),
        *(Record(3, at, chance.choice([None, b"found", b"k"]), each, at) for at, each in enumerate(documents)),
        *(Record(4, at, key, value, time) for at, (key, value, time) in enumerate(drawn)),
    ]


@settings(max_examples=EXAMPLES, phases=(Phase.explicit, Phase.generate))  # to shrink a batch would take an hour
@given(seed=st.integers(0, 2**32), drawn=RECORDS)
def fuzz_engines(seed: int, drawn: list[tuple[Any, Any, int]]) -> None:
    spark, _, compiled, pure = _engines()
    records = _batch(seed, drawn)
    expected = in_order(plain_tally(records, EVERYTHING, WANTED))
    frame = frame_of(spark, records).cache()
    try:
        for engine in (compiled, pure):
            found = in_order(engine.tally(frame, EVERYTHING, hot_keys=True, wanted=WANTED))
            assert found == expected, type(engine).__name__
    finally:
        frame.unpersist()
