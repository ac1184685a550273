"""The plugin as a language host starts it; see PulumiPlugin.yaml."""

from kafka_topology.plugin import main

main()
