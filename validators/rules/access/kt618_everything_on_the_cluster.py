from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.acls import CLUSTER_NAME
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import named
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT618: everything-on-the-cluster

An ACL allows every operation on the cluster, or one that leads to all others.

`All` on the cluster includes Alter, with which a principal gives itself and others any access, AlterConfigs and
Delete, and ClusterAction, with which it reads every topic as a broker does. It is a super user that no list of super
users shows. Each of Alter, AlterConfigs and ClusterAction alone is a warning: brokers need the last one, and a tool
that manages ACLs, users or quotas needs the others.

Fix: List the operations that the principal needs: Describe for monitoring, Create for a tool that creates topics.
Suppress the finding, with the reason, for the tool that manages ACLs.
"""


# What somebody with the operation reaches, besides what it says.
_POWERS = {
    "All": "may give itself any access and read every topic",
    "Alter": "may give itself any access and change passwords",
    "AlterConfigs": "may change every broker and quota",
    "ClusterAction": "reads every topic as a broker does",
}


def check(context: Context) -> Iterator[Problem]:
    for acl in context.topology.acls:
        if acl.resource != "cluster" or acl.permission != "allow" or acl.name != CLUSTER_NAME:
            continue
        powers = [operation for operation in acl.operations if operation in _POWERS]
        if "All" in powers:
            powers = ["All"]
        everything = powers == ["All"]
        fix = f"remove {named(powers)}, or suppress the finding for a broker or the tool that manages the cluster"
        if powers:
            yield Problem(
                f"{acl.principal}: it gets {named(powers)} on the cluster, so it"
                f" {named([_POWERS[operation] for operation in powers])}; expected the operations that it needs",
                acl.place("operations", acl.operations.index(powers[0])),
                acl.principal,
                "list the operations that it needs, such as Describe or Create" if everything else fix,
                severity=None if everything else Severity.WARNING,
            )


EXAMPLE = """\
version: 1
acls:
  - {principal: "User:monitor", cluster: kafka-cluster, operations: [Describe]}
  - {principal: "User:intern", cluster: kafka-cluster, operations: [Alter], permission: deny}
"""

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"[Describe]": "[All]"}), line=3, column=70),
    Bad(changed(EXAMPLE, {"[Describe]": "[Describe, ClusterAction]"}), line=3, column=80),
    Bad(changed(EXAMPLE, {"[Describe]": "[Alter, AlterConfigs]"}), line=3, column=70),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R33", "R15"), judges_parts=True)
