from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.acls import CLUSTER_NAME, SUPPORTED
from kafka_topology.topology.kafka.authorizer import ANYTHING, compared_host
from kafka_topology.topology.kafka.names import illegal_characters
from kafka_topology.topology.model.declared import Acl
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import listed
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import is_misspelt, names_no_topic, resource_place, roles

DOCS = """\
# KT621: acl-without-effect

An ACL matches no request, or Kafka refuses it.

Kafka compares texts. The only cluster is called `kafka-cluster`; Kafka refuses an ACL on another one. The type of a
principal is case-sensitive: nobody is `user:checkout`. A type other than `User` needs a principal builder of your own,
and is not judged. A host is compared with the IP address of the client, so host names and ranges such as `10.0.0.0/8`
match nobody. A star stands for all names only if it is alone: `orders*` is the name of no topic, and a prefix of `*`
matches names that begin with a star. And no request asks for an operation that the
resource does not have: `IdempotentWrite` on a topic, `Write` on a group. Kafka stores all but the first, so
the client stays without access, and a denial stops nobody.

Fix: Write what Kafka compares with: `kafka-cluster`, `User:…`, one IP address or `"*"`, and an operation of the
resource.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, role in roles(context.topology):
        for principal in role.principals:
            if is_misspelt(principal):
                yield Problem(
                    f"{name}: the principal is {principal}, which Kafka compares with its case, so no client has it;"
                    f" expected {_spelled(principal)}",
                    role.principal_place(principal),
                    name,
                    f"write {_spelled(principal)}",
                )
    for acl in context.topology.acls:
        yield from _of_entry(acl)


def _of_entry(acl: Acl) -> Iterator[Problem]:
    effect = "allows nothing" if acl.permission == "allow" else "denies nothing"
    if is_misspelt(acl.principal):
        yield Problem(
            f"{acl.principal}: Kafka compares the type of a principal with its case, so this ACL {effect};"
            f" expected {_spelled(acl.principal)}",
            acl.place("principal"),
            acl.principal,
            f"write {_spelled(acl.principal)}",
        )
    if acl.resource == "cluster" and acl.name != CLUSTER_NAME:
        yield Problem(
            f"{acl.principal}: the ACL is about a cluster called {acl.name}, which Kafka refuses;"
            f" expected {CLUSTER_NAME}",
            resource_place(acl),
            acl.principal,
            f"write `cluster: {CLUSTER_NAME}`",
        )
    elif acl.name == ANYTHING and acl.pattern == "prefixed":
        yield Problem(
            f"{acl.principal}: `*` with `pattern: prefixed` matches only names that begin with a star, so this ACL"
            f" {effect}; expected a prefix, or `*` with `pattern: literal`",
            resource_place(acl),
            acl.principal,
            "write a prefix of names",
        )
    elif names_no_topic(acl):
        stem = acl.name.rstrip("*")
        prefix = bool(stem) and not illegal_characters(stem)
        expected = f"{stem} with `pattern: prefixed`" if prefix else "a name or a prefix of topics"
        yield Problem(
            f"{acl.principal}: no topic can be called {acl.name}, and only a star alone stands for all names, so this"
            f" ACL {effect}; expected {expected}",
            resource_place(acl),
            acl.principal,
            f"write `topic: {stem}, pattern: prefixed`" if prefix else "write the name of a topic",
        )
    yield from _of_host(acl, effect)
    yield from _of_operations(acl, effect)


def _of_host(acl: Acl, effect: str) -> Iterator[Problem]:
    expected = compared_host(acl.host)
    if expected == acl.host:
        return
    yield Problem(
        f"{acl.principal}: the host is {acl.host}, but Kafka compares it with the text of the client's IP address, so"
        f" this ACL {effect}; expected {expected or 'one IP address, or *'}",
        acl.place("host"),
        acl.principal,
        f"write {expected}"
        if expected
        else 'write one entry for each IP address, or "*" and limit hosts in the network',
    )


def _of_operations(acl: Acl, effect: str) -> Iterator[Problem]:
    supported = SUPPORTED[acl.resource]
    for index, operation in enumerate(acl.operations):
        if operation not in supported:
            what = acl.resource.replace("-", " ")
            yield Problem(
                f"{acl.principal}: no request needs {operation} on a {what}, so it {effect};"
                f" expected one of {listed(supported, most=9)}",
                acl.place("operations", index),
                acl.principal,
                f"write an operation of a {what}, or name the resource that {operation} is about",
            )


def _spelled(principal: str) -> str:
    return f"User:{principal.partition(':')[2]}"


ENTRY = ORDERS + 'acls:\n  - {principal: "User:audit", topic: orders, operations: [Read], host: 10.0.0.1}\n'
CLUSTER = 'version: 1\nacls:\n  - {principal: "User:monitor", cluster: kafka-cluster, operations: [Describe]}\n'
CHECKOUT = ORDERS + 'producers:\n  checkout: {principal: "User:checkout", topics: [orders]}\n'

GOOD = (
    ENTRY,
    CLUSTER,
    CHECKOUT,
    changed(ENTRY, {"User:audit": "Group:auditors"}),
    changed(ENTRY, {"host: 10.0.0.1": 'host: "*"'}),
    changed(ENTRY, {"host: 10.0.0.1": 'host: "0:0:0:0:0:0:0:1"'}),
    changed(ENTRY, {"[Read]": "[All]"}),
)
BAD = (
    Bad(changed(CLUSTER, {"kafka-cluster": "kafka"}), line=3, column=42),
    Bad(changed(ENTRY, {"User:audit": "user:audit"}), line=5, column=17),
    Bad(changed(CHECKOUT, {"User:checkout": "USER:checkout"}), line=5, column=25),
    Bad(changed(ENTRY, {"10.0.0.1": "10.0.0.0/8"}), line=5, column=72),
    Bad(changed(ENTRY, {"10.0.0.1": "audit.example.com"}), line=5, column=72),
    Bad(changed(ENTRY, {"10.0.0.1": '"::1"'}), line=5, column=72),
    Bad(changed(ENTRY, {"topic: orders": 'topic: "*", pattern: prefixed'}), line=5, column=38),
    Bad(changed(ENTRY, {"topic: orders": 'topic: "orders*"'}), line=5, column=38),
    Bad(changed(ENTRY, {"[Read]": "[Read, IdempotentWrite]"}), line=5, column=65),
    Bad(changed(ENTRY, {"topic: orders": "group: billing", "[Read]": "[Write]"}), line=5, column=60),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R33", "R15"), judges_parts=True)
