"""Try random input on everything that reads input of others.

make fuzz MINUTES=10                       all targets, with new seeds
make fuzz ONLY=loader SEED=7 MINUTES=1    one part, from this seed on
"""

from __future__ import annotations

import argparse
import random
import sys

from .runs import Tried, find_targets, fuzz, prepare


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="for all targets together")
    parser.add_argument(
        "--rounds", type=int, help="for each target, fewer for slow ones, however long they take: two runs try the same"
    )
    parser.add_argument("--seed", type=int, help="of the first round; random if left out")
    parser.add_argument("--only", default="", help="names of targets, or how they begin, with commas between them")
    given = parser.parse_args(arguments)
    prepare()
    wanted = tuple(filter(None, given.only.split(",")))
    known = list(find_targets())
    for each in wanted:
        if not any(target.name.startswith(each) for target in known):
            parser.error(f"no target begins with {each}: choose from {', '.join(target.name for target in known)}")
    targets = [each for each in known if not wanted or each.name.startswith(wanted)]
    first = random.SystemRandom().randrange(2**31) if given.seed is None else given.seed
    effort = f"{given.minutes:g} minutes" if given.rounds is None else f"{given.rounds} rounds for each"
    print(f"seed {first}, {effort}, {len(targets)} targets", flush=True)
    total = sum(target.weight for target in targets)
    tried = []
    for target in targets:
        seconds = given.minutes * 60 * target.weight / total
        tried.append(fuzz(target, first, seconds, exactly=target.rounds(given.rounds)))
        _tell(tried[-1])
    failed = [each for each in tried if each.failure]
    print(f"{len(failed)} of {len(tried)} targets failed" if failed else "no target failed", flush=True)
    return 1 if failed else 0


def _tell(tried: Tried) -> None:
    verdict = "failed" if tried.failure else "ok"
    examples = tried.rounds * tried.target.examples
    print(f"{tried.target.name:28} {examples:>8,} examples {tried.seconds:7.1f} s  {verdict}", flush=True)
    if tried.failure:
        print(tried.failure)
        again = f"make fuzz ONLY={tried.target.name} SEED={tried.failed_seed} MINUTES=0"
        print(f"Again: {again}\nKeep the example with @example in tests/fuzz/targets.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
