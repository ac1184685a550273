from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT623: open-without-acl

The brokers let everybody use what no ACL is about.

With `allow.everyone.if.no.acl.found`, a topic, group or transactional id without an ACL is open to every client that
can connect, and so is the cluster itself: whoever wants to may create topics and ACLs. A new topic is open until its
first ACL, and open again when its last one is removed. Kafka's default is false, but that of Amazon MSK is true: there
the rule also reports a topology with `acls` that does not declare the value.

Fix: Remove the setting from the brokers once each client has its ACLs; `kafka-topology show --acls` lists them.
"""

KEY = "allow.everyone.if.no.acl.found"


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    is_msks = KEY not in cluster.defaults and cluster.distribution == "msk" and bool(context.topology.acls)
    if not is_msks and not kafka_true(cluster.defaults.get(KEY)):
        return
    whose = " (Amazon MSK's default)" if is_msks else ""
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: {KEY} is true{whose}, so everybody may use every topic and group that has no ACL; expected false",
        cluster.place("distribution") if is_msks else cluster.place("defaults", KEY),
        name,
        f"set {KEY} to false on the brokers, after each client has its ACLs, and declare it under cluster.defaults",
    )


EXAMPLE = on_cluster("defaults: {allow.everyone.if.no.acl.found: false}", orders_with("visibility: private"))

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"found: false": "found: true"}), line=2, column=54),
    Bad(
        on_cluster("distribution: msk", orders_with("visibility: private"))
        + 'acls:\n  - {principal: "User:audit", topic: orders, operations: [Read]}\n',
        line=2,
        column=25,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R15", "R33"))
