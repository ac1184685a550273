"""May this topology be deployed to this cluster now? Reads only."""
