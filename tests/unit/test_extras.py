"""Which import needs which extra, and what a user reads when one is missing."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from kafka_topology.extras import EXTRAS, MissingExtra, explained, require

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DECLARED = PROJECT["optional-dependencies"]


def brought_by(extra: str) -> set[str]:
    """The distributions of an extra, with those of the extras that it includes and what `pyspark[connect]` brings."""
    found = set()
    for requirement in DECLARED[extra]:
        name, options = re.match(r"([\w-]+)(?:\[([\w,-]+)\])?", requirement).groups()
        if name == PROJECT["name"]:
            found.update(*(brought_by(each) for each in options.split(",")))
        else:
            found.add(name)
            found |= {"py4j"} if name == "pyspark" else {"semver"} if name == "pulumi" else set()
            found |= {"grpcio-status", "pandas", "pyarrow"} if options == "connect" else set()
    return found


def test_the_extras_are_those_of_the_distribution() -> None:
    assert {extra.name for extra in EXTRAS} | {"all", "dev"} == set(DECLARED)
    assert brought_by("all") == set().union(*(brought_by(extra.name) for extra in EXTRAS))


@pytest.mark.parametrize("extra", [extra for extra in EXTRAS if extra.name != "msk"], ids=lambda extra: extra.name)
def test_an_extra_brings_what_is_imported(extra) -> None:
    distributions = packages_distributions()
    for module in extra.imports:
        (name,) = {"protobuf"} if module == "google.protobuf" else set(distributions[module])
        assert name in brought_by(extra.name)


def test_nothing_of_an_extra_is_a_base_dependency() -> None:
    base = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert not base & brought_by("all")


def test_every_extra_that_the_code_and_the_docs_name_exists() -> None:
    places = ["README.md", "docs", "action", "provider", "spark_checks", "validators", "src/kafka_topology", "examples"]
    for place in places:
        files = [ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*.*")
        for file in files:
            if file.suffix in {".py", ".md", ".yml", ".sh", ".ipynb"}:
                for named in re.findall(r"kafka-topology\[([a-z,-]+)\]", file.read_text()):
                    assert set(named.split(",")) <= set(DECLARED), file


def test_a_missing_import_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_topology.extras.find_spec", lambda name: None if name == "kafka" else name)
    said = "audit needs the Kafka clients, but kafka is not installed: run pip install 'kafka-topology[kafka]'"
    with pytest.raises(MissingExtra) as missing:
        require("kafka", "audit")
    assert str(missing.value) == said
    assert str(explained(ModuleNotFoundError(name="kafka.net.sasl"), "audit")) == said
    assert explained(missing.value, "whatever") is missing.value


def test_a_missing_helper_is_not_called_by_the_name_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_topology.extras.find_spec", lambda name: None if name == "filelock" else name)
    said = (
        "a check of records needs the package filelock, which is not installed: run pip install 'kafka-topology[spark]'"
    )
    with pytest.raises(MissingExtra) as missing:
        require("spark", "a check of records")
    assert str(missing.value) == said
    require("local", "kafka-topology local start", without=("filelock",))


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("google", "pulumi"),
        ("google.protobuf.struct_pb2", "pulumi"),
        ("pyspark.sql", "spark"),
        ("pandas", "spark-connect"),
    ],
)
def test_an_import_belongs_to_the_first_extra_that_brings_it(module: str, extra: str) -> None:
    assert f"[{extra}]" in str(explained(ModuleNotFoundError(name=module), "this"))


@pytest.mark.parametrize("module", [None, "kafka_topology.nothing", "googlemaps", "kafkaesque"])
def test_other_missing_modules_are_no_extra(module: str | None) -> None:
    assert explained(ModuleNotFoundError(name=module), "this") is None
