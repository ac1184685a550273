"""Commands of this product while brokers, connections and processes fail: see docs/reliability.md."""
