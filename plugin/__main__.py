"""The plugin, for an engine that is given this folder instead of the executable."""

from kafka_topology.plugin import main

main()
