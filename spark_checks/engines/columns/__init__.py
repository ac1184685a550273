"""Conditions as columns made of Spark's own functions, for the pure engine and what the compiled one leaves to it."""
