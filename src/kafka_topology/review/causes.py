"""What in the files caused a change: the changed line, if that is not the field of the resource itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ..topology.model.declared import Topic
from ..topology.model.places import Layer, Location, Place
from .versions import Versions

CauseKind = Literal["profile", "environment", "default", "kafka", "template", "choice", "rename", "role"]


@dataclass(frozen=True, slots=True)
class Cause:
    """`name` is that of the profile, environment, setting or resource that changed; `location` is its changed line."""

    kind: CauseKind
    name: str
    location: Location | None = field(default=None, compare=False)
    text: str = field(default="", compare=False)  # what changed there, if the changes do not say it


@dataclass(frozen=True, slots=True)
class Changed:
    """The line that changed a value, and its cause if other resources may share it."""

    location: Location
    cause: Cause | None = None

    @classmethod
    def by(cls, kind: CauseKind, name: str, location: Location) -> Changed:
        return cls(location, Cause(kind, name, location))


def changed_at(versions: Versions, old: Topic, new: Topic, path: tuple[str, ...]) -> Changed:
    """Where the files changed a value of a topic. A layer that did not change is never the answer."""
    was, now = old.place(*path), new.place(*path)
    if path[0] == "config" and path[-1] not in old.config and path[-1] not in new.config:
        return _inherited(versions, path[-1])
    if now.layer is Layer.LANGUAGE and len(path) > 1:
        was, now = old.place(path[0]), new.place(path[0])  # the default of a part that a layer declares
    same_layer = (was.layer, was.name) == (now.layer, now.name)
    if now.layer is Layer.RESOURCE or (same_layer and now.layer is Layer.LANGUAGE):
        return _own(versions, old, new, path)
    if same_layer:
        return _layer(versions, now, path[-1])
    if Layer.PROFILE in (was.layer, now.layer) and old.profile != new.profile:
        place = new.place("profile")
        at = place.location if new.profile is not None else new.location
        chosen = f"profile: {old.profile or 'none'} → {new.profile or 'none'}"
        return Changed(at, Cause("choice", f"topic {new.name}", at, chosen))
    if Layer.ENVIRONMENT in (was.layer, now.layer):
        return _environment(versions, was, now)
    if was.layer is Layer.RESOURCE:
        return _of_template(new, new.location)  # the topic no longer sets it
    if Layer.PROFILE in (was.layer, now.layer):
        return _profiles(versions, new, was, now)
    return _inherited(versions, path[-1])


def _inherited(versions: Versions, name: str) -> Changed:
    """Of a setting that topics inherit: the default of the cluster that comes, goes or changes, or Kafka's version."""
    old, new = (version.topology.cluster for version in (versions.old, versions.new))
    was, now = versions.old.default_of(name), versions.new.default_of(name)
    if now is not None and old.defaults.get(now) != new.defaults[now]:
        return Changed.by("default", now, new.place("defaults", now).location)
    if was is not None and was not in new.defaults:
        return Changed.by("default", was, new.place("defaults").location)
    return Changed.by("kafka", new.kafka or "", new.place("kafka").location)


def _own(versions: Versions, old: Topic, new: Topic, path: tuple[str, ...]) -> Changed:
    """A line of the topic, of the template that it was made from, or its item in `forEach`."""
    at = new.place(*path).location
    if old.instance is None or new.instance is None:
        return _of_template(new, at)
    # The template is unchanged if another topic made from the same line keeps its value.
    before, after = versions.old.topology.topics, versions.new.topology.topics
    others = (
        (before[name], topic)
        for name, topic in after.items()
        if name != new.name and name in before and topic.instance is not None and topic.place(*path).location == at
    )
    if any(_value(was, path) == _value(now, path) for was, now in others):
        return Changed(new.instance)
    return _of_template(new, at)


def _value(topic: Topic, path: tuple[str, ...]) -> object:
    return topic.config.get(path[-1]) if path[0] == "config" else getattr(topic, path[0], None)


def _of_template(topic: Topic, at: Location) -> Changed:
    return Changed(at) if topic.instance is None else Changed.by("template", f"{at.file}:{at.line}", at)


def _layer(versions: Versions, now: Place, name: str) -> Changed:
    if now.layer is Layer.PROFILE:
        return Changed.by("profile", now.name, now.location)
    if now.layer is Layer.ENVIRONMENT:
        return Changed.by("environment", now.name, now.location)
    return _inherited(versions, name)


def _environment(versions: Versions, was: Place, now: Place) -> Changed:
    if now.layer is Layer.ENVIRONMENT:
        return Changed.by("environment", now.name, now.location)
    at = versions.new.topology.place("environments", was.name).location
    return Changed.by("environment", was.name, at)


def _profiles(versions: Versions, topic: Topic, was: Place, now: Place) -> Changed:
    """The profile that extends another one, no longer sets the value, or sets it now."""
    before, after = versions.old.topology.profiles, versions.new.topology.profiles
    chain = list(_chain(versions, topic.profile))
    for name in chain:
        if name in before and before[name].extends != after[name].extends:
            return Changed.by("profile", name, after[name].place("extends").location)
    is_lost = was.layer is Layer.PROFILE and was.name in after
    if is_lost and (now.layer is not Layer.PROFILE or _comes_first(chain, was.name, now.name)):
        return Changed.by("profile", was.name, after[was.name].location)
    return Changed.by("profile", now.name or was.name, now.location)


def _comes_first(chain: list[str], one: str, other: str) -> bool:
    return one in chain and other in chain and chain.index(one) < chain.index(other)


def _chain(versions: Versions, profile: str | None) -> Iterator[str]:
    """A profile and those that it extends."""
    profiles = versions.new.topology.profiles
    while profile is not None and profile in profiles:
        yield profile
        profile = profiles[profile].extends
