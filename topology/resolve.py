"""The located tree to the frozen model: profiles applied, references checked, defaults filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import language, model
from .entries import Entry, EntryPlaces, overlay
from .fields import suggestion
from .findings import Finding, Severity
from .merge import Sections
from .open_maps import Anything
from .places import Location
from .structures import Building, Incomplete, Record, build
from .units import FOREVER


class Resolver:
    """Builds one topology from merged sections and keeps the problems it meets."""

    def __init__(
        self,
        sections: Sections,
        whole: Entry,
        root: Path,
        environment: str | None,
        comment_ignores: tuple[model.CommentIgnore, ...],
    ) -> None:
        self._sections = sections
        self._whole = whole
        self._root = root
        self._environment = environment
        self._comment_ignores = comment_ignores
        self._building = Building()
        self._profiles: dict[str, Entry | None] = {}
        self._schemas: dict[str, str] = {}
        self._defaults = self._section("cluster").get("defaults")

    @property
    def findings(self) -> list[Finding]:
        return self._building.findings

    def topology(self) -> model.Topology:
        patterns = self._patterns()
        topics = self._all("topics", lambda name, entry: self._topic(name, entry, patterns))
        ownership = self._ownership()
        topology = model.Topology(
            place=EntryPlaces(self._whole),
            root=self._root,
            environment=self._environment,
            environments=tuple(self._section("environments")),
            cluster=self._cluster(),
            ownership=ownership,
            patterns=patterns,
            profiles=self._all("profiles", self._profile),
            environment_profiles=self._environment_profiles(),
            topics=topics,
            producers=self._named("producers", language.PRODUCER, "name"),
            consumer_groups=self._named("consumerGroups", language.CONSUMER_GROUP, "name"),
            streams=self._named("streams", language.STREAMS, "application_id"),
            acls=self._listed("acls", language.ACL),
            users=self._named("users", language.USER, "name"),
            quotas=self._listed("quotas", language.QUOTA),
            rules=self._all("rules", self._rule),
            schemas=self._schemas,
            comment_ignores=self._comment_ignores,
        )
        self._check_references(topology)
        return topology

    def _section(self, name: str) -> dict[str, Entry]:
        entry = self._sections.get(name)
        return entry.value if entry is not None else {}

    def _all(self, section: str, make: Callable[[str, Entry], Any]) -> dict[str, Any]:
        """Every item of a section that can be built."""
        built = {}
        for name, entry in self._section(section).items():
            try:
                built[name] = make(name, entry)
            except Incomplete:
                continue
        return built

    def _named(self, section: str, record: Record, name_attribute: str) -> dict[str, Any]:
        def make(name: str, entry: Entry) -> Any:
            given = {name_attribute: name, "place": EntryPlaces(entry)}
            assert record.make is not None  # noqa: S101 - every named resource has a class
            return record.make(**record.attributes(entry, self._building, **given))

        return self._all(section, make)

    def _listed(self, section: str, record: Record) -> tuple[Any, ...]:
        items = []
        entries: list[Entry] = self._sections[section].value if section in self._sections else []
        for entry in entries:
            try:
                attributes = record.attributes(entry, self._building, place=EntryPlaces(entry))
            except Incomplete:
                continue
            assert record.make is not None  # noqa: S101 - every listed resource has a class
            items.append(record.make(**attributes))
        return tuple(items)

    def _cluster(self) -> model.Cluster:
        entry = self._sections.get("cluster", self._whole)
        given = language.CLUSTER.attributes(entry, self._building) if entry is not self._whole else {}
        racks: tuple[str, ...] = given.pop("racks", ())
        disk: int | None = given.pop("disk", None)
        brokers = given.get("brokers")
        if isinstance(brokers, int):
            rack_of = [racks[index % len(racks)] if racks else None for index in range(brokers)]
            given["brokers"] = tuple(model.Broker(index + 1, rack, disk) for index, rack in enumerate(rack_of))
        elif brokers is not None and disk is not None:
            given["brokers"] = tuple(
                broker if broker.disk is not None else model.Broker(broker.id, broker.rack, disk) for broker in brokers
            )
        return model.Cluster(place=EntryPlaces(entry), **given)

    def _ownership(self) -> model.Ownership:
        entry = self._sections.get("ownership")
        if entry is None:
            return model.Ownership(place=EntryPlaces(self._whole))
        return model.Ownership(**language.OWNERSHIP.attributes(entry, self._building, place=EntryPlaces(entry)))

    def _patterns(self) -> dict[str, str]:
        patterns = {}
        for name, entry in self._section("patterns").items():
            try:
                re.compile(entry.value)
            except re.error as error:
                self._problem(
                    "KT003",
                    entry.location,
                    name,
                    f"the pattern is not a regular expression: {error}",
                    "mend the pattern",
                )
                continue
            patterns[name] = entry.value
        return patterns

    def _environment_profiles(self) -> frozenset[str]:
        """Profiles that topics or profiles of any environment name, also of those that are not chosen."""
        named = [
            reference.value
            for environment in self._section("environments").values()
            for section, field in (("topics", "profile"), ("profiles", "extends"))
            if section in environment.value
            for item in environment.value[section].value.values()
            if (reference := item.value.get(field)) is not None
        ]
        return frozenset(named)

    def _profile(self, name: str, entry: Entry) -> model.Profile:
        self._profile_entry(name)
        extends = entry.value.get("extends")
        return model.Profile(place=EntryPlaces(entry), name=name, extends=extends.value if extends else None)

    def _profile_entry(self, name: str, below: tuple[str, ...] = ()) -> Entry | None:
        """A profile with all that it extends; None when it cannot be resolved."""
        if name in self._profiles:
            return self._profiles[name]
        entry = self._section("profiles")[name]
        extends = entry.value.get("extends")
        if extends is not None:
            if extends.value in (*below, name):
                chain = " -> ".join((*below, name, extends.value))
                self._problem(
                    "KT006",
                    extends.location,
                    name,
                    f"profiles extend each other in a circle: {chain}",
                    "break the circle",
                )
                self._profiles[name] = None
                return None
            if self._known_profile(extends, name):
                base = self._profile_entry(extends.value, (*below, name))
                entry = overlay(base, entry) if base is not None else entry
        self._profiles[name] = entry
        return entry

    def _known_profile(self, reference: Entry, user: str) -> bool:
        return self._known(reference, user, self._section("profiles"), "profile")

    def _topic(self, name: str, entry: Entry, patterns: Mapping[str, str]) -> model.Topic:
        profile = entry.value.get("profile")
        whole = entry
        if profile is not None and self._known_profile(profile, name):
            base = self._profile_entry(profile.value)
            whole = overlay(base, entry) if base is not None else entry
        given = language.TOPIC.attributes(whole, self._building, name=name, place=EntryPlaces(whole, self._defaults))
        given.pop("retention", None)
        self._inherit_counts(whole, given)
        parts = whole.value
        if "key" in parts:
            given["key"] = self._key(parts["key"], given["key"], name, patterns)
        if "value" in parts:
            given["value"] = self._value(parts["value"], given["value"])
        if "config" in parts and "retention.ms" in parts["config"].value:
            given["kept_forever"] = parts["config"].value["retention.ms"].node.value == FOREVER
        return model.Topic(**given)

    def _inherit_counts(self, topic: Entry, given: dict[str, Any]) -> None:
        """Partitions and replication that a topic leaves out come from the brokers' declared defaults."""
        missing = False
        for attribute, broker_key in (
            ("partitions", "num.partitions"),
            ("replication", "default.replication.factor"),
        ):
            if attribute in given:
                continue
            default = self._defaults.value.get(broker_key) if self._defaults is not None else None
            if default is not None and default.value.isdecimal():
                given[attribute] = int(default.value)
                continue
            self._building.lacks(
                topic,
                attribute,
                "neither the topic, its profile nor the cluster's defaults set it",
                f"add `{attribute}:` to the topic or its profile",
            )
            missing = True
        if missing:
            raise Incomplete

    def _key(self, entry: Entry, given: dict[str, Any], topic: str, patterns: Mapping[str, str]) -> model.Key:
        declared = given["type"]
        if declared not in language.KEY_TYPES:
            reference = entry.value["type"]
            if not self._known(
                reference,
                topic,
                {**patterns, **dict.fromkeys(language.KEY_TYPES)},
                "key type or pattern",
            ):
                raise Incomplete
            given |= {"type": "pattern", "pattern": patterns[declared], "pattern_name": declared}
        given["schema"] = self._schema_path(entry)
        return model.Key(**given)

    def _value(self, entry: Entry, given: dict[str, Any]) -> model.Value:
        given["schema"] = self._schema_path(entry)
        return model.Value(**given)

    def _schema_path(self, holder: Entry) -> str | None:
        """A schema's path from the root of the topology, whatever file named it."""
        entry = holder.value.get("schema")
        if entry is None:
            return None
        path = (Path(entry.origin.file).parent / entry.value).resolve()
        if not path.is_relative_to(self._root):
            self._problem(
                "KT006",
                entry.location,
                "",
                f"`{entry.value}` is outside the topology's folder",
                "keep schemas inside the folder",
            )
        elif not path.is_file():
            self._problem(
                "KT006",
                entry.location,
                "",
                f"there is no file `{entry.value}`",
                "add the schema, or mend the path: it is relative to this file",
            )
        else:
            name = str(path.relative_to(self._root).as_posix())
            if name not in self._schemas:
                self._schemas[name] = path.read_text(encoding="utf-8", errors="replace")
            return name
        raise Incomplete

    def _rule(self, rule_id: str, entry: Entry) -> model.RuleSetting:
        options = build(Anything(), entry, self._building)
        if not isinstance(options, dict):
            self._problem(
                "KT003",
                entry.location,
                rule_id,
                "expected a mapping of options",
                "write {severity: off} or the rule's options",
            )
            raise Incomplete
        severity = options.pop("severity", None)
        if severity is False:
            severity = "off"
        if severity is not None and severity not in language.SEVERITY.values:
            at = entry.value["severity"].location
            self._problem(
                "KT003",
                at,
                rule_id,
                f"expected {language.SEVERITY.describe()}, found `{severity}`",
                "choose one",
            )
            raise Incomplete
        return model.RuleSetting(place=EntryPlaces(entry), id=rule_id, severity=severity, options=options)

    def _check_references(self, topology: model.Topology) -> None:
        declared = self._section("topics")
        owned = topology.ownership.topics

        def check(holder: Mapping[str, Any], path: str) -> None:
            for name, thing in holder.items():
                for index, topic in enumerate(_names(thing, path)):
                    # A topic outside the ownership belongs to someone else, and may be read or written all the same.
                    foreign = owned is not None and not topic.startswith(owned)
                    if topic not in declared and not foreign:
                        at = thing.place(_yaml_name(path), topic if path == "assign" else index).location
                        self._unknown(at, topic, name, declared, "topic")

        check(topology.producers, "topics")
        check(topology.consumer_groups, "topics")
        check(topology.consumer_groups, "assign")
        check(topology.streams, "reads")
        check(topology.streams, "writes")
        check(topology.topics, "copartitioned_with")

    def _known(self, reference: Entry, user: str, known: Mapping[str, Any], what: str) -> bool:
        if reference.value in known:
            return True
        self._unknown(reference.location, reference.value, user, known, what)
        return False

    def _unknown(self, at: Location, name: str, user: str, known: Mapping[str, Any], what: str) -> None:
        near = suggestion(name, known)
        remedy = f"did you mean `{near}`?" if near else f"declare the {what}, or mend the name"
        self._problem("KT006", at, user, f"no {what} is called `{name}`", remedy)

    def _problem(self, rule: str, at: Location, resource: str, message: str, remediation: str) -> None:
        self._building.findings.append(Finding(rule, Severity.ERROR, message, at, resource, remediation))


def _names(thing: Any, path: str) -> tuple[str, ...]:
    return tuple(getattr(thing, path))


def _yaml_name(path: str) -> str:
    return {"copartitioned_with": "copartitionedWith"}.get(path, path)
