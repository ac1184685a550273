"""The product with one more partitioner: one entry in the source of the table, and no other edit.

Import this before anything of the product, in a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

TABLE = "kafka_topology.topology.kafka.partitioners"
AFTER = '    OtherPartitioner("explicit"'
ENTRY = """\
    HashPartitioner(
        "acme",
        Hash.CRC32,
        Reduction.MASKED,
        java=("partitioner.class", "com.acme.AcmePartitioner"),
        known_as="Acme's partitioner",
    ),
"""


class _Edited(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as importlib calls it
        source = Path(self.path).read_text()
        assert source.count(AFTER) == 1
        return compile(source.replace(AFTER, ENTRY + AFTER), self.path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == TABLE else None
        if spec is not None:
            assert spec.origin is not None
            spec.loader = _Edited(fullname, spec.origin)
        return spec


assert TABLE not in sys.modules
sys.meta_path.insert(0, _Finder())
