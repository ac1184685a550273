"""What consumer groups and share groups have in common: a name, settings, and offsets that move only when asked."""
