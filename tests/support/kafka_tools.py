"""What Kafka's own command-line tools see of access, users and quotas."""

from __future__ import annotations

import re

from kafka_topology.local import kafka_tool

_RESOURCE = re.compile(r"ResourcePattern\(resourceType=(\w+), name=(.*), patternType=(\w+)\)")
_RULE = re.compile(r"\(principal=(.*), host=(.*), operation=(\w+), permissionType=(\w+)\)")
_USER = re.compile(r"SCRAM credential configs for user-principal '(.*)' are (.*)")
_QUOTA = re.compile(r"Quota configs for (.*) are (.*)")


def run(kafka, tool, *arguments):
    done = kafka_tool(tool, *arguments, bootstrap=kafka.bootstrap_servers)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def acls_seen(kafka, principal):
    """`PERMISSION OPERATION RESOURCE PATTERN NAME HOST` of each ACL of one principal."""
    seen, resource = set(), ("", "", "")
    for line in run(kafka, "kafka-acls", "--list").splitlines():
        if found := _RESOURCE.search(line):
            resource = found.groups()
        elif (found := _RULE.search(line)) and found[1] == principal:
            kind, name, pattern = resource
            seen.add(f"{found[4]} {found[3]} {kind} {pattern} {name} {found[2]}")
    return seen


def users_seen(kafka, prefix):
    """The SCRAM mechanisms and iterations of the users whose names begin so."""
    lines = run(kafka, "kafka-configs", "--describe", "--entity-type", "users").splitlines()
    return {found[1]: found[2] for line in lines if (found := _USER.search(line)) and found[1].startswith(prefix)}


def quotas_seen(kafka, text):
    """The quotas of the users and clients whose names hold this text."""
    seen = {}
    for types in (["users"], ["clients"], ["users", "clients"]):
        options = [word for kind in types for word in ("--entity-type", kind)]
        for line in run(kafka, "kafka-configs", "--describe", *options).splitlines():
            if (found := _QUOTA.search(line)) and text in found[1]:
                limits = dict(part.split("=") for part in found[2].split(", "))
                seen[found[1]] = {name: float(value) for name, value in limits.items()}
    return seen
