"""The built-in rules, one module each, named after the bad pattern."""
