"""Builds the frozen model from the located tree: applies profiles, checks references, fills in defaults."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..language.acceptances import ACCEPTANCE
from ..language.clients import ACL, CONSUMER_GROUP, PRODUCER, QUOTA, STREAMS, USER
from ..language.cluster import CLUSTER, OWNERSHIP
from ..language.open_maps import RuleOptions
from ..language.share_groups import SHARE_GROUP
from ..language.structures import Structure
from ..language.terms import KEY_TYPES
from ..language.topics import TOPIC
from ..located.building import Building, Incomplete
from ..located.decoding import short
from ..located.entries import BROKEN, BROKER_COUNTS, Entry, EntryPlaces, node_location
from ..model import declared as model
from ..model.findings import Finding
from ..model.kinds import NAMED_KINDS
from ..model.places import Layer, Location
from ..model.units import FOREVER, parse_integer
from ..model.words import did_you_mean
from .merge import Sections, with_environment
from .profiles import Profiles
from .references import References

_TITLES = {kind.section: kind.title for kind in NAMED_KINDS}


@dataclass(frozen=True, slots=True)
class Basis:
    """What all environments of a topology share."""

    document: Entry  # the first file, where findings about the whole are located
    root: Path
    broken: frozenset[str] | None  # sections that could not be read; None if a whole file could not


def problems_of_environment(sections: Sections, name: str, basis: Basis) -> list[Finding]:
    """Findings in an environment that is not selected, limited to what it declares or changes."""
    changed: Sections = sections["environments"].value[name].value
    resolver = Resolver(with_environment(sections, name), basis, changed)
    resolver.topology(name, ())
    return resolver.findings


class Resolver:
    """Builds one topology from merged sections, and collects findings."""

    def __init__(self, sections: Sections, basis: Basis, only: Sections | None = None) -> None:
        self._sections = sections
        self._only = only
        self._whole = Entry(sections, basis.document.node, basis.document.origin)
        self._root = basis.root
        self._building = Building()
        self._references = References(basis.root, basis.broken, self._building.findings)
        self._profiles = Profiles(self._section("profiles"), self._references)
        defaults = self._section("cluster").get("defaults")
        self._defaults = None if defaults is None or defaults.value is BROKEN else defaults
        self._defaults_unread = self._references.is_unread("cluster") or defaults is not self._defaults

    @property
    def findings(self) -> list[Finding]:
        return self._building.findings

    def topology(self, environment: str | None, comment_ignores: tuple[model.CommentIgnore, ...]) -> model.Topology:
        self._pattern_texts = self._patterns()
        topology = model.Topology(
            place=EntryPlaces(self._whole),
            root=self._root,
            environment=environment,
            environments=tuple(self._section("environments")),
            cluster=self._cluster(),
            ownership=self._ownership(),
            patterns=self._pattern_texts,
            profiles=self._all("profiles", self._profile),
            environment_profiles=self._environment_profiles(),
            topics=self._all("topics", self._topic),
            producers=self._named("producers", PRODUCER, "name"),
            consumer_groups=self._named("consumerGroups", CONSUMER_GROUP, "name"),
            share_groups=self._named("shareGroups", SHARE_GROUP, "name"),
            streams=self._named("streams", STREAMS, "application_id"),
            acls=self._listed("acls", ACL),
            users=self._named("users", USER, "name"),
            quotas=self._listed("quotas", QUOTA),
            rules=self._all("rules", self._rule),
            accept=self._listed("accept", ACCEPTANCE),
            schemas=self._references.schemas,
            comment_ignores=comment_ignores,
        )
        self._references.check_topics(topology, self._section("topics"))
        self._references.check_quotas(topology)
        return topology

    def _section(self, name: str) -> dict[str, Entry]:
        entry = self._sections.get(name)
        return entry.value if entry is not None else {}

    def _is_looked_at(self, section: str, name: str) -> bool:
        return self._only is None or (section in self._only and name in self._only[section].value)

    def _all(self, section: str, make: Callable[[str, Entry], Any]) -> dict[str, Any]:
        """Every item of a section that can be built."""
        built = {}
        for name, entry in self._section(section).items():
            if not self._is_looked_at(section, name):
                continue
            reported = len(self.findings)
            try:
                if entry.value is not BROKEN:
                    built[name] = make(name, entry)
            except Incomplete:
                if entry.origin.layer is Layer.ENVIRONMENT:
                    self._changes_nothing(section, name, entry, reported)
        return built

    def _changes_nothing(self, section: str, name: str, entry: Entry, reported: int) -> None:
        """Replace the findings about missing fields of a resource that only an environment has by their cause."""
        missing = [found for found in self.findings[reported:] if found.location == entry.location]
        if not missing:
            return
        self.findings[reported:] = [found for found in self.findings[reported:] if found not in missing]
        if self._references.is_unread(section):
            return
        environment = entry.origin.name
        what = f"{_TITLES.get(section, section)} `{short(name)}`"
        message = f"environment `{environment}` changes {what}, which is not declared"
        fix = f"declare it, or remove it from the environment; to declare it in `{environment}` only, {missing[0].fix}"
        declared = (other for other, item in self._section(section).items() if item.origin.layer is Layer.RESOURCE)
        self._references.problem("KT006", _name_of(entry), name, message, did_you_mean(name, declared) or fix)

    def _named(self, section: str, structure: Structure, name_attribute: str) -> dict[str, Any]:
        def make(name: str, entry: Entry) -> Any:
            given = {name_attribute: name, "place": EntryPlaces(entry)}
            assert structure.make is not None  # noqa: S101 - every named resource has a class
            return structure.make(**structure.attributes(entry, self._building, **given))

        return self._all(section, make)

    def _listed(self, section: str, structure: Structure) -> tuple[Any, ...]:
        items = []
        sections = self._sections if self._only is None else self._only
        entries: list[Entry] = sections[section].value if section in sections else []
        for entry in entries:
            try:
                attributes = structure.attributes(entry, self._building, place=EntryPlaces(entry))
            except Incomplete:
                continue
            assert structure.make is not None  # noqa: S101 - every listed resource has a class
            items.append(structure.make(**attributes))
        return tuple(items)

    def _cluster(self) -> model.Cluster:
        entry = self._sections.get("cluster")
        if entry is None or (self._only is not None and "cluster" not in self._only):
            return model.Cluster(place=EntryPlaces(self._whole))
        try:
            given = CLUSTER.attributes(entry, self._building)
        except Incomplete:
            return model.Cluster(place=EntryPlaces(entry))
        brokers = given.get("brokers")
        disk: int | None = given.get("disk")
        if isinstance(brokers, int):
            given["brokers"] = model.spread_brokers(brokers, given.get("racks", ()), disk)
        elif brokers is not None:
            given["brokers"] = tuple(
                model.Broker(each.id, each.rack, each.disk if each.disk is not None else disk) for each in brokers
            )
            self._each_broker_once(entry.value["brokers"], brokers)
            given.setdefault("racks", tuple(dict.fromkeys(each.rack for each in brokers if each.rack is not None)))
        controllers = given.get("controllers")
        if isinstance(controllers, tuple):
            given |= {"controllers": len(controllers), "controller_ids": controllers}
        return model.Cluster(place=EntryPlaces(entry), **given)

    def _each_broker_once(self, entry: Entry, brokers: tuple[model.Broker, ...]) -> None:
        seen: set[int] = set()
        for item, broker in zip(entry.value, brokers, strict=True):
            if broker.id in seen:
                at = item.value["id"].location
                self._references.problem("KT005", at, "", f"broker {broker.id} is listed twice", "keep one of the two")
            seen.add(broker.id)

    def _ownership(self) -> model.Ownership:
        entry = self._sections.get("ownership", self._whole)
        try:
            given = OWNERSHIP.attributes(entry, self._building) if entry is not self._whole else {}
        except Incomplete:
            given = {}
        return model.Ownership(place=EntryPlaces(entry), **given)

    def _patterns(self) -> dict[str, str]:
        patterns = {}
        for name, entry in self._section("patterns").items():
            if entry.value is BROKEN:
                continue
            patterns[name] = entry.value
            if not self._is_looked_at("patterns", name):
                continue
            if name in KEY_TYPES:
                at, message = entry.location, f"`{name}` is a key type of the language, so it cannot name a pattern"
                self._references.problem("KT003", at, name, message, "choose another name")
            try:
                re.compile(entry.value)
            except (re.error, RecursionError, OverflowError) as error:
                message = f"the pattern is not a regular expression: {error}"
                self._references.problem("KT003", entry.location, name, message, "correct the pattern")
        return patterns

    def _environment_profiles(self) -> frozenset[str]:
        """Profiles that topics or profiles of any environment refer to, selected or not."""
        named = [
            reference.value
            for environment in self._section("environments").values()
            for section, field in (("topics", "profile"), ("profiles", "extends"))
            for item in _fields(_fields(environment).get(section)).values()
            if (reference := _fields(item).get(field)) is not None
        ]
        return frozenset(named)

    def _profile(self, name: str, entry: Entry) -> model.Profile:
        self._profiles.resolved(name)
        extends = entry.value.get("extends")
        return model.Profile(place=EntryPlaces(entry), name=name, extends=extends.value if extends else None)

    def _topic(self, name: str, entry: Entry) -> model.Topic:
        whole = self._profiles.applied(name, entry)
        parts = (entry if whole is None else whole).value
        schemas = {part: self._references.schema_path(parts.get(part)) for part in ("key", "value") if part in parts}
        pattern = self._key_pattern(parts.get("key"), name)
        if whole is None:
            raise Incomplete
        given = TOPIC.attributes(whole, self._building, name=name, place=EntryPlaces(whole, self._defaults))
        self._inherit_counts(whole, given)
        if "key" in given:
            given["key"] = model.Key(**{**given["key"], **pattern, "schema": schemas["key"]})
        if "value" in given:
            given["value"] = model.Value(**{**given["value"], "schema": schemas["value"]})
        if "config" in given and "retention.ms" in given["config"]:
            given["kept_forever"] = parts["config"].value["retention.ms"].node.value == FOREVER
        return model.Topic(**given)

    def _inherit_counts(self, topic: Entry, given: dict[str, Any]) -> None:
        """Take missing partitions and replication from the declared defaults of the brokers."""
        missing = False
        for attribute, broker_key in BROKER_COUNTS.items():
            if attribute in given:
                continue
            default = self._defaults.value.get(broker_key) if self._defaults is not None else None
            count = parse_integer(default.value) if default is not None and default.value is not BROKEN else None
            if count is not None and count > 0:
                given[attribute] = count
                continue
            missing = True
            if default is None and not self._defaults_unread:
                self._building.missing(
                    topic,
                    attribute,
                    "neither the topic, its profile nor the cluster's defaults set it",
                    f"add `{attribute}:` to the topic or its profile",
                )
            elif default is not None and default.value is not BROKEN:
                message = f"expected a number of {attribute}, found `{default.value}`"
                self._references.problem("KT003", default.location, "", message, "write a number of at least 1")
        if missing:
            raise Incomplete

    def _key_pattern(self, key: Entry | None, topic: str) -> dict[str, str]:
        """Further attributes of a key whose type is the name of a pattern."""
        declared = key.value.get("type") if key is not None and key.value is not BROKEN else None
        if declared is None or declared.value is BROKEN or declared.value in KEY_TYPES:
            return {}
        name: str = declared.value
        if name in self._pattern_texts:
            return {"type": "pattern", "pattern": self._pattern_texts[name], "pattern_name": name}
        known = (*KEY_TYPES, *self._section("patterns"))
        if name not in known:
            self._references.unknown(
                declared.location, name, topic, known, what="key type or pattern", section="patterns"
            )
        return {}

    def _rule(self, rule_id: str, entry: Entry) -> model.RuleSetting:
        severity = entry.value.get("severity")
        if severity is not None and severity.value is BROKEN:  # it was reported; report the rest too
            known = {name: child for name, child in entry.value.items() if child is not severity}
            entry = Entry(known, entry.node, entry.origin, entry.key)
        options = RuleOptions().build(entry, self._building)
        chosen = options.pop("severity", None)
        return model.RuleSetting(place=EntryPlaces(entry), id=rule_id, severity=chosen, options=options)


def _name_of(entry: Entry) -> Location:
    return node_location(entry.key if entry.key is not None else entry.node, entry.origin.file)


def _fields(entry: Entry | None) -> dict[str, Entry]:
    """The fields of an entry; empty if it is missing or could not be read."""
    return entry.value if entry is not None and isinstance(entry.value, dict) else {}
