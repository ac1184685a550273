"""What an audit compares: one module each, which describes itself as `SUBJECT`."""
