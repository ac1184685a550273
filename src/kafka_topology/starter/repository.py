"""A repository: a topology that validates, the Pulumi program that applies it, hooks, and a README with the steps."""

from __future__ import annotations

import re

from kafka_topology import __version__

# What the new repository runs: `local start` and `pulumi up`.
EXTRAS = "[local,pulumi]"

# Until there is a release: a wheel that the user puts into the repository.
WHEEL = f"./wheels/kafka_topology-{__version__}-py3-none-any.whl"

REQUIREMENTS = """\
# The one place that says where kafka-topology comes from. There is no release on an index yet. Name a wheel by its path
# from here, or a wheel or a git checkout by its address; a git checkout has no compiled record checks:
#   kafka-topology[local,pulumi] @ git+https://HOST/PATH/kafka-topology@TAG
# `make wheel` in a clone of kafka-topology builds a wheel into dist/. Commit it here, so that CI finds it.
# Extras: local (a Kafka here), pulumi (apply, audit, import), spark (check records), msk (AWS MSK).
{requirement}
"""

CLUSTER = """\
# The cluster, what this repository may change on it, and settings that topics share.
version: 1

cluster:
  kafka: "4.1"
  brokers: 3
  defaults: {auto.create.topics.enable: false}

ownership:
  topics: [shop.]
  groups: [shop.]
  principals: ["User:shop-"]

profiles:
  # Writes continue with one broker down, and no record is lost with two down.
  event:
    replication: 3
    retention: 7d
    config: {min.insync.replicas: 2}

environments:
  # One broker on a laptop: `kafka-topology local start`. The Pulumi stack `dev` selects it by name.
  dev:
    cluster: {brokers: 1, defaults: {offsets.topic.replication.factor: 1}}
    profiles: {event: {replication: 1, config: {min.insync.replicas: 1}, deletion: allowed}}
    consumerGroups: {shop.billing: {deletion: allowed}}
    rules:
      KT102: {severity: off}
      KT103: {severity: off}
      KT210: {severity: off}
      KT701: {severity: off}
"""

ORDERS = """\
# The topics of one team, with their producers and consumers.
version: 1

topics:
  shop.orders:
    profile: event
    description: Order events, one order per key.
    owner: checkout
    visibility: public
    partitions: 6
    ordering: per-key
    key: {type: uuid, field: order_id, partitioner: murmur2}
    value: {format: json, schema: schemas/order.schema.json}

producers:
  checkout:
    principal: User:shop-checkout
    owner: checkout
    topics: [shop.orders]
    delivery: at-least-once

consumerGroups:
  shop.billing:
    principal: User:shop-billing
    owner: billing
    topics: [shop.orders]
    members: 3
    delivery: at-least-once
    start: earliest
    maxLag: 10000
    maxOutage: 3d
    config: {enable.auto.commit: false, group.protocol: consumer}
"""

SCHEMA = """\
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Order",
  "type": "object",
  "required": ["order_id"],
  "properties": {"order_id": {"type": "string", "format": "uuid"}}
}
"""

PULUMI = """\
name: {name}
description: The Kafka topology of this repository.
runtime: python
main: program/
plugins:
  providers:
    - name: kafka-topology
      path: .venv/bin
"""

STACK = """\
config:
  kafka-topology:path: {topology}
  kafka-topology:bootstrapServers: localhost:9092
"""

PROGRAM = '''\
"""Registers the resources of the topology that the stack's config names."""

from kafka_topology.program.deploy import deploy

deploy()
'''

PRE_COMMIT = """\
repos:
  - repo: local
    hooks:
      - id: kafka-topology-validate
        name: kafka-topology validate
        entry: kafka-topology validate {topology}
        language: system
        files: ^{pattern}(/|$)
        pass_filenames: false
      - id: kafka-topology-fmt
        name: kafka-topology fmt
        entry: kafka-topology fmt {topology}
        language: system
        files: ^{pattern}(/|$)
        pass_filenames: false
"""

README = """\
# {name}

The Kafka topology of this repository is in `{topology}`. Pull requests are validated and reviewed; Pulumi applies them.
You need Python 3.11 or newer, the Pulumi CLI, and for the local cluster Java 17 and Maven.

`requirements.txt` names the source of kafka-topology: `{package}`. If that is a file, put it there first.

```console
python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
export PATH="$PWD/.venv/bin:$PATH" PULUMI_CONFIG_PASSPHRASE=local
kafka-topology validate {topology}
kafka-topology local start --port 9092
pulumi login --local
pulumi stack init dev
pulumi up
```

Then `kafka-topology audit` compares the cluster with the topology. The stack says which topology, environment and
cluster.

Stop the cluster with `kafka-topology local stop`. For a real one, add a stack with its `bootstrapServers`.
"""

IGNORED = """\
.venv/
.kafka-topology/
.plan/
.out/
.check/
__pycache__/
"""

EXAMPLE_ENVIRONMENTS = ("dev",)
PROVIDER = "kafka-topology"  # whose config a project of the same name would share


def repository(name: str, package: str = WHEEL, topology: str = "topology") -> dict[str, str]:
    """Every file by path, without the topology and the pipeline. `package` is the requirement for pip."""
    return {
        ".gitignore": IGNORED,
        ".pre-commit-config.yaml": PRE_COMMIT.replace("{topology}", topology).replace("{pattern}", re.escape(topology)),
        "Pulumi.dev.yaml": STACK.replace("{topology}", topology),
        "Pulumi.yaml": PULUMI.replace("{name}", name),
        "README.md": README.replace("{name}", name).replace("{package}", package).replace("{topology}", topology),
        "program/__main__.py": PROGRAM,
        "requirements.txt": REQUIREMENTS.replace("{requirement}", requirement(package)),
    }


def example(topology: str) -> dict[str, str]:
    """A topology that validates, by path."""
    texts = {"cluster.yaml": CLUSTER, "orders.yaml": ORDERS, "schemas/order.schema.json": SCHEMA}
    return {f"{topology}/{path}": text for path, text in texts.items()}


def requirement(package: str) -> str:
    """The line of requirements.txt, with the extras that the repository needs unless the package names its own."""
    if re.match(r"[A-Za-z0-9._-]+\s*\[", package) or package.endswith("]"):
        return package
    if re.match(r"[a-z+]+://", package):
        return f"kafka-topology{EXTRAS} @ {package}"
    return f"{package}{EXTRAS}"
