"""The checks, one per module: each module has one `CHECK`, which describes itself completely."""
