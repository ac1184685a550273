"""Findings as people and programs read them. Reporters only render."""
