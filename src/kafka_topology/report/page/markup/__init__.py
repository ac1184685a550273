"""Elements, tables, charts and the page around them. Knows nothing of topologies."""
