"""Registers what the topology asks for. The stack's config says which topology."""

from kafka_topology.deploy import deploy

deploy()
