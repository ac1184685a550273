"""How `audit` waits, watches and serves."""
