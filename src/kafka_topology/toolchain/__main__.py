"""`python -m kafka_topology.toolchain kafka spark` fetches those and prints their folders."""

from __future__ import annotations

import argparse
import sys

from . import BUNDLES, FixableError, cache_root, ensure


def main(arguments: list[str] | None = None) -> int:
    known = {bundle.name: bundle for bundle in BUNDLES}
    parser = argparse.ArgumentParser(
        prog="python -m kafka_topology.toolchain",
        description="Fetch missing jars into the per-user cache.",
        epilog="example: python -m kafka_topology.toolchain kafka spark",
    )
    parser.add_argument("bundle", nargs="+", choices=sorted(known), help="what to fetch")
    try:
        for name in parser.parse_args(arguments).bundle:
            ensure(known[name])
            sys.stdout.write(f"{cache_root() / known[name].folder}\n")
    except FixableError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the cache is unchanged\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
