"""A check in a process of its own: Python cannot have a session of Spark Connect beside one that is not."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

from kafka_topology.spark_checks.results.report import Report

_PROGRAM = """
import pickle, sys
from pathlib import Path
import pyspark
from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.engines.choice import best_engine
from kafka_topology.spark_checks.engines.compiled import CompiledEngine
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import load
from spark_places import OF_EXECUTORS
path, bootstrap, address, engine, now_ms, target, *most_keys = sys.argv[1:]
where = {"remote": address} if address.startswith("sc:") else {"master": address}
settings = {} if "remote" in where else OF_EXECUTORS
spark = start(jars=ensure_spark(pyspark.__version__), settings=settings, **where)
hashes = BuiltInHashes() if engine == "pure" else best_hashes(spark)
chosen = PureEngine(hashes) if engine == "pure" else best_engine(spark, hashes)
if most_keys:
    chosen = CompiledEngine(hashes, int(most_keys[0]))
assert type(chosen) is (PureEngine if engine == "pure" else CompiledEngine), chosen
options = Options(now_ms=int(now_ms))
topology = load(Path(path)).topology
report = check(spark, topology, bootstrap_servers=bootstrap, engine=chosen, hashes=hashes, options=options)
Path(target).write_bytes(pickle.dumps(report))
"""


def report_of(
    path: Path,
    bootstrap: str,
    address: str,
    *,
    engine: str,
    now_ms: int,
    folder: Path,
    most_keys: int | None = None,
) -> Report:
    """`engine`: `compiled` or `pure`, the latter by nothing but SQL functions. `address`: a master or a server.

    The compiled engine keeps `most_keys` in memory at once, if given, and spills the others.
    """
    target = folder / "report.pickle"
    command = [sys.executable, "-c", _PROGRAM, str(path), bootstrap, address, engine, str(now_ms), str(target)]
    command += [] if most_keys is None else [str(most_keys)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    report = pickle.loads(target.read_bytes())  # noqa: S301 - written above
    assert isinstance(report, Report)
    return report
