"""Sets of jars in a per-user cache, keyed by version: a second clone fetches nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .pins import differing, pinned

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST = "jars.txt"
DEFAULT_KAFKA = "4.1.0"


@dataclass(frozen=True)
class Bundle:
    """A folder of jars, described by a pom that ships with this package.

    `edition` counts up when the pom changes and the version does not, so a folder that was fetched before is not used.
    """

    name: str
    version: str
    pom: str
    title: str
    size: str
    edition: int = 1

    @property
    def folder(self) -> str:
        plain = f"{self.name}-{self.version}"
        return plain if self.edition == 1 else f"{plain}-{self.edition}"


def chosen_kafka(environ: Mapping[str, str] | None = None) -> str:
    """The Kafka of local clusters: KAFKA_TOPOLOGY_KAFKA_VERSION, else the version that everything is tested with."""
    env = os.environ if environ is None else environ
    return env.get("KAFKA_TOPOLOGY_KAFKA_VERSION") or DEFAULT_KAFKA


KAFKA = Bundle("kafka", chosen_kafka(), "kafka.pom.xml", title="Kafka", size="54 MB")
SPARK = Bundle("spark", "4.0.0", "spark.pom.xml", title="Spark's Kafka connector and Avro", size="6 MB", edition=2)
BUNDLES = (KAFKA, SPARK)


def cache_root(environ: Mapping[str, str] | None = None) -> Path:
    """Where the jars are kept: KAFKA_TOPOLOGY_CACHE, else the user's cache folder."""
    env = os.environ if environ is None else environ
    if chosen := env.get("KAFKA_TOPOLOGY_CACHE"):
        return Path(chosen).expanduser().absolute()
    if (base := env.get("XDG_CACHE_HOME")) and Path(base).is_absolute():
        return Path(base) / "kafka-topology"
    return Path.home() / ".cache" / "kafka-topology"


def lookup(bundle: Bundle, cache: Path | None = None) -> list[Path] | None:
    """The jars of a bundle, or None when they are not (all) there, or not what they were. Fetches nothing."""
    folder = (cache or cache_root()) / bundle.folder
    try:
        names = (folder / MANIFEST).read_text(encoding="utf-8").split()
    except OSError:
        return None
    jars = [folder / name for name in names]
    if not jars or not all(jar.is_file() for jar in jars):
        return None
    pins = pinned(bundle.folder)
    return None if pins and differing(jars, pins) else jars


def kafka_jars(cache: Path | None = None) -> list[Path] | None:
    """The jars of a broker and of Kafka's own tools, or None when they were not fetched."""
    return lookup(KAFKA, cache)


def spark_jars(pyspark_version: str, cache: Path | None = None) -> list[Path] | None:
    """The connector's jars for this pyspark, or None: then `spark.jars.packages` fetches them."""
    return lookup(SPARK, cache) if pyspark_version == SPARK.version else None
