from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.helpers import own_edit, place_of, related, shown
from kafka_topology.validators.engine.in_library import called
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT525: fetch-wait-above-request-timeout

`fetch.max.wait.ms` is not below `request.timeout.ms`.

A broker holds a fetch for up to `fetch.max.wait.ms` until `fetch.min.bytes` are there. If the consumer gives up after
`request.timeout.ms`, which is not longer, every fetch of a quiet topic times out: the consumer closes the connection,
looks for the brokers again, and repeats that for as long as nothing arrives. Kafka accepts the settings without a
word.

Fix: Set `fetch.max.wait.ms` well below `request.timeout.ms`. Kafka's defaults are 500 ms and 30 seconds.
"""

WAIT, TIMEOUT = "fetch.max.wait.ms", "request.timeout.ms"
_DEFAULT_WAIT = 500


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.readers:
        waits, gives_up = reader.number(WAIT), reader.number(TIMEOUT)
        if waits is None or gives_up is None or waits < gives_up:
            continue
        wait, timeout = reader.setting(WAIT), reader.setting(TIMEOUT)
        if wait is None or timeout is None:
            continue
        gives = called(reader.declared, TIMEOUT)
        at, other = (wait, timeout) if wait.is_declared else (timeout, wait)
        yield Problem(
            f"{reader.name}: {WAIT} is {shown(wait)} with a {TIMEOUT} of {shown(timeout)}, so fetches of a quiet topic"
            f" time out; expected less than {format_duration(gives_up)}",
            place_of(at, reader.declared),
            reader.name,
            f"set {called(reader.declared, WAIT)} to 500ms, or raise {gives}" if wait.is_declared else f"raise {gives}",
            related(other, f"{other.name} is set here"),
            edits=own_edit(wait, "500ms") if wait.is_declared and gives_up > _DEFAULT_WAIT else (),
        )


EXAMPLE = ORDERS + BILLING + "    config: {fetch.max.wait.ms: 5s, request.timeout.ms: 30s}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"fetch.max.wait.ms: 5s": "fetch.max.wait.ms: 1m"}), line=7, column=33),
    Bad(
        changed(EXAMPLE, {"fetch.max.wait.ms: 5s, request.timeout.ms: 30s": "request.timeout.ms: 400ms"}),
        line=7,
        column=34,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23", "R30"))
