"""The engine's protocol messages, loaded without the rest of the Pulumi SDK.

`import pulumi` takes longer than everything else the plugin needs together, and the engine waits
for the plugin at each command. The generated messages depend on nothing in the SDK, so they are
imported from its folder under a package name of our own. Both names give the same message classes.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = "kafka_topology_pulumi_proto"


def _load(module: str) -> Any:
    if _PACKAGE not in sys.modules:
        spec = find_spec("pulumi")
        if spec is None or not spec.submodule_search_locations:
            raise ImportError("The package 'pulumi' is not installed: pip install kafka-topology")
        package = ModuleType(_PACKAGE)
        package.__path__ = [str(Path(spec.submodule_search_locations[0], "runtime", "proto"))]
        sys.modules[_PACKAGE] = package
    return import_module(f"{_PACKAGE}.{module}")


engine_pb2 = _load("engine_pb2")
engine_pb2_grpc = _load("engine_pb2_grpc")
plugin_pb2 = _load("plugin_pb2")
provider_pb2 = _load("provider_pb2")
provider_pb2_grpc = _load("provider_pb2_grpc")
resource_status_pb2 = _load("resource_status_pb2")
resource_status_pb2_grpc = _load("resource_status_pb2_grpc")
status_pb2 = _load("status_pb2")
