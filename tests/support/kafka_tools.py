"""What Kafka's own command-line tools see on a cluster."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass, fields

from tool_server import SERVER

_TOPIC = re.compile(r"^Topic: (\S+)\s.*PartitionCount: (\d+)\s+ReplicationFactor: (\d+)")
_DYNAMIC = re.compile(r"^Dynamic configs for (?:topic|group) (.*) are:")
_ENTRY = re.compile(r"^  ([\w.]+)=(.*) sensitive=")
_RESOURCE = re.compile(r"ResourcePattern\(resourceType=(\w+), name=(.*), patternType=(\w+)\)")
_RULE = re.compile(r"\(principal=(.*), host=(.*), operation=(\w+), permissionType=(\w+)\)")
_USER = re.compile(r"SCRAM credential configs for user-principal '(.*)' are (.*)")
_QUOTA = re.compile(r"Quota configs for (.*) are (.*)")
_DESCRIBE = ("kafka-configs", "--describe")
_ENTITIES = (["users"], ["clients"], ["users", "clients"])


@dataclass(frozen=True)
class Seen:
    """Everything the tools see. Empty dictionaries and sets where there is nothing."""

    topics: dict[str, tuple[int, int, dict[str, str]]]
    """Partitions, replication and configs of their own, by name."""
    acls: dict[str, set[str]]
    """`PERMISSION OPERATION RESOURCE PATTERN NAME HOST` of each ACL, by principal."""
    users: dict[str, str]
    quotas: dict[str, dict[str, float]]
    offsets: dict[str, dict[str, int]]
    """Committed offsets by group and `topic-partition`."""
    group_configs: dict[str, dict[str, str]]

    def about(self, word):
        """Only what has this word in its name."""

        def kept(things):
            return {name: thing for name, thing in things.items() if word in name}

        return Seen(**{part.name: kept(getattr(self, part.name)) for part in fields(self)})

    def since(self, before):
        """Only what was not there before, without Kafka's own topics."""

        def new(part):
            things, old = getattr(self, part), getattr(before, part)
            return {name: thing for name, thing in things.items() if name not in old and not name.startswith("__")}

        return Seen(**{part.name: new(part.name) for part in fields(self)})


_UNKNOWN = "does not exist as expected"
# These wait 5 s by default, which a busy machine needs; then they print the error and end with 0.
_IMPATIENT = ("kafka-consumer-groups", "kafka-share-groups")


def run(kafka, tool, *arguments):
    patience = ("--timeout", "60000") if tool in _IMPATIENT else ()
    deadline = time.monotonic() + 10
    done = SERVER.run(tool, *arguments, *patience, bootstrap=kafka.bootstrap_servers)
    while _UNKNOWN in done.stdout and time.monotonic() < deadline:  # not every broker has heard of a new topic yet
        done = SERVER.run(tool, *arguments, *patience, bootstrap=kafka.bootstrap_servers)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def everything_seen(kafka):
    """One look with every tool."""
    commands = (
        ("kafka-topics", "--describe"),
        (*_DESCRIBE, "--entity-type", "topics"),
        ("kafka-acls", "--list"),
        *(_quota_command(types) for types in _ENTITIES),
        ("kafka-consumer-groups", "--describe", "--all-groups", "--offsets"),
        (*_DESCRIBE, "--entity-type", "groups"),
    )
    topics, topic_configs, acls, *quotas, offsets, group_configs = (run(kafka, *command) for command in commands)
    configs = _configs(topic_configs)
    return Seen(
        topics={name: (*shape, configs.get(name, {})) for name, shape in _shapes(topics).items()},
        acls=_acls(acls),
        users=_users(quotas[0]),
        quotas=_quotas("\n".join(quotas)),
        offsets=_offsets(offsets),
        group_configs={name: config for name, config in _configs(group_configs).items() if config},
    )


def acls_seen(kafka, principal):
    """`PERMISSION OPERATION RESOURCE PATTERN NAME HOST` of each ACL of one principal."""
    return acls_in(run(kafka, "kafka-acls", "--list"), principal)


def acls_in(text, principal):
    """The same, of what `kafka-acls --list` printed."""
    return _acls(text).get(principal, set())


def users_seen(kafka, prefix):
    """The SCRAM mechanisms and iterations of the users whose names begin so."""
    users = _users(run(kafka, *_quota_command(["users"])))
    return {name: mechanisms for name, mechanisms in users.items() if name.startswith(prefix)}


def quotas_seen(kafka, text):
    """The quotas of the users and clients whose names hold this text."""
    quotas = _quotas("\n".join(run(kafka, *_quota_command(types)) for types in _ENTITIES))
    return {entity: limits for entity, limits in quotas.items() if text in entity}


def _quota_command(types):
    return (*_DESCRIBE, *(word for kind in types for word in ("--entity-type", kind)))


def _shapes(text):
    found = (_TOPIC.search(line) for line in text.splitlines())
    return {match[1]: (int(match[2]), int(match[3])) for match in found if match}


def _configs(text):
    configs, of = defaultdict(dict), ""
    for line in text.splitlines():
        if found := _DYNAMIC.search(line):
            of = found[1]
        elif found := _ENTRY.search(line):
            configs[of][found[1]] = found[2]
    return dict(configs)


def _acls(text):
    seen, resource = defaultdict(set), ("", "", "")
    for line in text.splitlines():
        if found := _RESOURCE.search(line):
            resource = found.groups()
        elif found := _RULE.search(line):
            kind, name, pattern = resource
            seen[found[1]].add(f"{found[4]} {found[3]} {kind} {pattern} {name} {found[2]}")
    return dict(seen)


def _users(text):
    return {found[1]: found[2] for line in text.splitlines() if (found := _USER.search(line))}


def _quotas(text):
    seen = {}
    for line in text.splitlines():
        if found := _QUOTA.search(line):
            limits = dict(part.split("=") for part in found[2].split(", "))
            seen[found[1]] = {name: float(value) for name, value in limits.items()}
    return seen


def _offsets(text):
    seen = defaultdict(dict)
    for line in text.splitlines():
        words = line.split()
        if len(words) > 4 and words[2].isdigit() and words[3].isdigit():
            seen[words[0]][f"{words[1]}-{words[2]}"] = int(words[3])
    return dict(seen)
