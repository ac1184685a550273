"""What a preflight looks at: one module each, which describes itself as `STEP`."""
