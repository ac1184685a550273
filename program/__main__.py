"""Registers the resources of the topology that the stack's config names."""

from kafka_topology.program.deploy import deploy

deploy()
