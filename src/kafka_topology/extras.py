"""Optional dependencies: which import needs which extra, and what to install when one is missing.

Without extras, every command that only reads files works, such as `validate`, `fmt`, `review` and `report`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class Extra:
    name: str
    brings: str
    imports: tuple[str, ...]

    @property
    def install(self) -> str:
        return f"pip install 'kafka-topology[{self.name}]'"


_KAFKA = ("confluent_kafka", "kafka")
_HELPERS = frozenset({"filelock", "cryptography"})  # not what an extra is named after
_SPARK = ("pyspark", "py4j", "filelock")

# An import that several extras bring belongs to the first of them.
EXTRAS = (
    Extra("kafka", "the Kafka clients", _KAFKA),
    Extra("pulumi", "the Pulumi SDK and gRPC", ("pulumi", "grpc", "google.protobuf", "parver", "semver", *_KAFKA)),
    Extra("local", "the packages of the local cluster", ("cryptography", "filelock", *_KAFKA)),
    Extra("spark", "Spark", (*_SPARK, *_KAFKA)),
    Extra("spark-connect", "the Spark Connect client", (*_SPARK, "grpc_status", "pandas", "pyarrow", *_KAFKA)),
    Extra("msk", "the signer for AWS MSK", ("aws_msk_iam_sasl_signer", *_KAFKA)),
)


class MissingExtra(ModuleNotFoundError):
    """An extra is not installed. The message is one sentence that names it and the command that installs it."""

    def __init__(self, what: str, extra: Extra, module: str) -> None:
        needs = f"the package {module}, which" if module in _HELPERS else f"{extra.brings}, but {module}"
        super().__init__(f"{what} needs {needs} is not installed: run {extra.install}", name=module)


def require(name: str, what: str, *, without: Collection[str] = ()) -> None:
    """Raises MissingExtra unless everything of the extra is there, but for `without`. Imports nothing of it.

    Call it before work that a missing import would interrupt, or where an import alone would name a smaller extra.
    """
    extra = next(extra for extra in EXTRAS if extra.name == name)
    for module in extra.imports:
        if module not in without and not _is_there(module):
            raise MissingExtra(what, extra, module)


def explained(error: ModuleNotFoundError, what: str) -> MissingExtra | None:
    """The failed import as a missing extra. None when no extra brings the module."""
    if isinstance(error, MissingExtra):
        return error
    failed = f"{error.name}."
    for extra in EXTRAS:
        for module in extra.imports:
            if failed.startswith(f"{module}.") or module.startswith(failed):
                return MissingExtra(what, extra, module)
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of its parent
        return False
