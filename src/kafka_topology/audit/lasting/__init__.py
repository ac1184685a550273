"""Findings over several looks: which of them last, which are new, and which are gone."""
