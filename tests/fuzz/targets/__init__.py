"""One module for each part that is fuzzed. Its functions `fuzz_…` are properties; `@example` keeps what once failed."""
