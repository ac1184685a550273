"""The files of a new repository: a topology that validates, and everything that reviews and applies it."""

from __future__ import annotations

from pathlib import Path

CLUSTER = """\
# The cluster, what this repository may touch in it, and what topics have in common.
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
  # With one broker down writing goes on, and with two nothing is lost.
  event:
    replication: 3
    retention: 7d
    config: {min.insync.replicas: 2}

environments:
  # One broker on a laptop: `kafka-topology local start`. The Pulumi stack `dev` takes it by its name.
  dev:
    cluster: {brokers: 1}
    profiles: {event: {replication: 1, config: {min.insync.replicas: 1}, deletion: allowed}}
    consumerGroups: {shop.billing: {deletion: allowed}}
    rules:
      KT102: {severity: off}
      KT103: {severity: off}
      KT210: {severity: off}
      KT701: {severity: off}
"""

ORDERS = """\
# What one team owns: its topics, who writes them and who reads them.
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
  kafka-topology:path: topology
  kafka-topology:bootstrapServers: localhost:9092
"""

PROGRAM = '''\
"""Registers what the topology asks for. The stack's config says which topology."""

from kafka_topology.deploy import deploy

deploy()
'''

WORKFLOW = """\
name: topology
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
  pull-requests: write
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0}
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - run: pip install -r requirements.txt
      # Annotations on the lines, the review in the job's summary, and a comment that is updated with every push.
      - run: bash "$(python -m kafka_topology.action)/github.sh"
        env:
          TOPOLOGY_PATH: topology
          BASE: ${{ github.event.pull_request.base.sha || github.event.before }}
          PULL_REQUEST: ${{ github.event.pull_request.number }}
          HEAD_SHA: ${{ github.event.pull_request.head.sha }}
          GH_TOKEN: ${{ github.token }}
"""

PRE_COMMIT = """\
repos:
  - repo: local
    hooks:
      - id: kafka-topology-validate
        name: kafka-topology validate
        entry: .venv/bin/kafka-topology validate topology
        language: system
        files: ^topology/
        pass_filenames: false
      - id: kafka-topology-fmt
        name: kafka-topology fmt
        entry: .venv/bin/kafka-topology fmt topology
        language: system
        files: ^topology/
        pass_filenames: false
"""

README = """\
# {name}

The Kafka topology of this repository is in `topology/`. A pull request is judged and reviewed; Pulumi applies it.
You need Python 3.11 or newer, the Pulumi CLI, and for the local cluster Java 17 and Maven.

```console
python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
export PATH="$PWD/.venv/bin:$PATH" PULUMI_CONFIG_PASSPHRASE=local
kafka-topology validate topology
kafka-topology local start --port 9092
pulumi login --local
pulumi stack init dev
pulumi up
```

`kafka-topology local stop` stops the cluster. For a real one, add a stack with its `bootstrapServers`.
"""

IGNORED = """\
.venv/
.kafka-topology/
__pycache__/
"""


def files(name: str) -> dict[str, str]:
    """Every file of a new repository by its path."""
    return {
        ".github/workflows/topology.yml": WORKFLOW,
        ".gitignore": IGNORED,
        ".pre-commit-config.yaml": PRE_COMMIT,
        "Pulumi.dev.yaml": STACK,
        "Pulumi.yaml": PULUMI.replace("{name}", name),
        "README.md": README.replace("{name}", name),
        "program/__main__.py": PROGRAM,
        "requirements.txt": "kafka-topology\n",
        "topology/cluster.yaml": CLUSTER,
        "topology/orders.yaml": ORDERS,
        "topology/schemas/order.schema.json": SCHEMA,
    }


def existing(folder: Path, wanted: dict[str, str]) -> list[str]:
    """The files that are there already: none of them is ever overwritten."""
    return [name for name in wanted if (folder / name).exists() or (folder / name).is_symlink()]


def write(folder: Path, wanted: dict[str, str]) -> None:
    for name, text in wanted.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        # Exclusive: what somebody else wrote in the meantime stays.
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
