"""The resolved topology: typed, frozen values, each with the place that set it.

Durations are milliseconds, sizes bytes, rates bytes per second, `None` means "not declared", and -1 in a
duration or size means "forever" or "no limit", as in Kafka. Settings are text, as Kafka gets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol

from .grants import NO_GRANTS, Grants
from .places import Layer, Location, Place
from .units import kafka_integer

Visibility = Literal["public", "private"]
Ordering = Literal["none", "per-key", "total"]
Compatibility = Literal[
    "backward", "forward", "full", "none", "backward-transitive", "forward-transitive", "full-transitive"
]
Delivery = Literal["at-most-once", "at-least-once", "exactly-once"]
Deletion = Literal["protected", "allowed", "force"]
NullKeys = Literal["forbidden", "tombstones", "allowed"]
KeyType = Literal["none", "string", "int", "long", "uuid", "json", "avro", "bytes", "pattern"]
ValueFormat = Literal["json", "avro", "protobuf", "string", "bytes"]
Start = Literal["earliest", "latest"]
Permission = Literal["allow", "deny"]
PatternType = Literal["literal", "prefixed"]


class Places(Protocol):
    """Finds where the value at a path of field names, map keys and list indexes was set."""

    def __call__(self, *path: str | int) -> Place: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Anything a file declares. `place()` is the declaration itself, `place("key", "field")` one value in it."""

    place: Places = field(compare=False, repr=False)

    @property
    def location(self) -> Location:
        return self.place().location

    def name_place(self, *path: str | int) -> Place:
        """Like `place()`, but where the name before the value is written, if a file has one."""
        find: Places = getattr(self.place, "name", self.place)
        return find(*path)


@dataclass(frozen=True, slots=True)
class Broker:
    id: int
    rack: str | None = None
    disk: int | None = None


def spread_brokers(count: int, racks: tuple[str, ...], disk: int | None) -> tuple[Broker, ...]:
    """Brokers given by number: ids from 1, racks in turn."""
    rack_of = [racks[index % len(racks)] if racks else None for index in range(count)]
    return tuple(Broker(index + 1, rack, disk) for index, rack in enumerate(rack_of))


@dataclass(frozen=True, slots=True)
class Limits:
    partitions_per_broker: int | None = None
    throughput_per_partition: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster(Declared):
    name: str | None = None
    kafka: str = "4.1"
    distribution: str = "apache"  # a key of `kafka.distributions.DISTRIBUTIONS`
    brokers: tuple[Broker, ...] | None = None
    racks: tuple[str, ...] = ()  # as declared, or else those of the brokers
    controllers: int | None = None
    controller_ids: tuple[int, ...] = ()  # of all controllers, if they are listed
    disk: int | None = None  # of each broker that does not declare its own
    limits: Limits = Limits()
    defaults: Mapping[str, str] = field(default_factory=dict)

    @property
    def lists_brokers(self) -> bool:
        """Whether a number, racks and a disk size do not describe the brokers completely."""
        brokers = self.brokers
        return brokers is not None and brokers != spread_brokers(len(brokers), self.racks, self.disk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership(Declared):
    """Prefixes of what this topology may change; None means no limit. `grants` is allowed beyond that."""

    topics: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    principals: tuple[str, ...] | None = None
    grants: Grants = NO_GRANTS


@dataclass(frozen=True, slots=True)
class Throughput:
    peak: int | None = None
    average: int | None = None
    record_size: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionEra:
    """The topic had this many partitions until that time."""

    partitions: int
    until: datetime


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Keys from `start` (inclusive) to `end` (exclusive) belong to one partition. None is open."""

    partition: int
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True)
class Partitioner:
    """`name` is a row of the partitioner table, or explicit, range, list or custom with what those need."""

    name: str = "murmur2"
    ranges: tuple[KeyRange, ...] = ()
    keys: Mapping[str, int] = field(default_factory=dict)
    expression: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    type: KeyType
    pattern: str | None = None  # the regular expression of a key whose type is a named pattern
    pattern_name: str | None = None
    field: str | None = None
    schema: str | None = None
    partitioner: Partitioner = Partitioner()
    nulls: NullKeys = "forbidden"
    distinct: int | None = None
    history: tuple[PartitionEra, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    format: ValueFormat
    schema: str | None = None
    sequence: str | None = None
    timestamp: str | None = None
    sample: float = 1.0


@dataclass(frozen=True, slots=True)
class Headers:
    required: tuple[str, ...] = ()
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Shares from 0 to 1: of what a record check of a topic counts, and of the records that it applies to."""

    max_violations: Fraction | None = None
    min_judged: Fraction | None = None

    @property
    def tolerated(self) -> Fraction:
        return self.max_violations or Fraction(0)

    @property
    def required(self) -> Fraction:
        return Fraction(1) if self.min_judged is None else self.min_judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Declared):
    """The declaration. Topics that use it already include its values."""

    name: str
    extends: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic(Declared):
    name: str
    partitions: int
    replication: int
    profile: str | None = field(default=None, compare=False)  # already applied to the topic
    instance: Location | None = field(default=None, compare=False)  # the item of `forEach` that it was made from
    description: str | None = None
    owner: str | None = None
    visibility: Visibility = "private"
    shared_with: tuple[str, ...] = ()  # owners that may use it although it is private
    ordering: Ordering = "none"
    throughput: Throughput | None = None
    key: Key | None = None
    value: Value | None = None
    compatibility: Compatibility | None = None  # of its schemas; None: existing records must fit
    headers: Headers | None = None
    checks: Mapping[str, CheckLimits] = field(default_factory=dict)  # by the id of a record check
    copartitioned_with: tuple[str, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    kept_forever: bool = False  # the file says `forever`, so unlimited retention is intended
    deletion: Deletion = "protected"
    ignore: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client(Declared):
    """What all clients have. While credentials rotate, a client has several principals and may connect as each."""

    principals: tuple[str, ...] = ()

    @property
    def principal(self) -> str | None:
        """The first principal, for messages. Decide about access with `principals`."""
        return self.principals[0] if self.principals else None

    def principal_place(self, principal: str) -> Place:
        at = self.place("principal", self.principals.index(principal))
        return self.place("principal") if at.layer is Layer.LANGUAGE else at  # a file may hold one without a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer(Client):
    name: str
    topics: tuple[str, ...]
    owner: str | None = None
    library: str | None = None  # whose names `config` has; None: the Java client's
    delivery: Delivery = "at-least-once"
    transactional_id: str | None = None
    partitioner: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    ignore: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OffsetReset:
    """The group's offsets move there once for each new ticket."""

    to: Start | datetime
    ticket: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroup(Client):
    name: str
    topics: tuple[str, ...] = ()
    assign: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    owner: str | None = None
    library: str | None = None
    members: int | None = None
    delivery: Delivery = "at-least-once"
    start: Start | datetime | None = None
    reset: OffsetReset | None = None
    max_lag: int | timedelta | None = None  # records, or the age of the oldest one
    max_outage: int | None = None
    max_processing_time: int | None = None  # of one record
    instances: tuple[str, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    group_config: Mapping[str, str] = field(default_factory=dict)
    deletion: Deletion = "protected"
    ignore: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InternalTopics:
    """The changelog and repartition topics of a streams application, by their full names, if they are listed."""

    replication: int | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroup(Client):
    """Consumers that share the records of topics (KIP-932)."""

    name: str
    topics: tuple[str, ...]
    owner: str | None = None
    members: int | None = None
    start: Start | datetime | None = None
    reset: OffsetReset | None = None
    max_lag: int | timedelta | None = None  # records, or the age of the oldest one
    max_outage: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    group_config: Mapping[str, str] = field(default_factory=dict)
    deletion: Deletion = "protected"
    ignore: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsApplication(Client):
    application_id: str
    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    owner: str | None = None
    delivery: Delivery = "at-least-once"
    instances: int | None = None
    threads: int | None = None  # of each instance
    max_lag: int | timedelta | None = None  # records, or the age of the oldest one
    max_outage: int | None = None
    internal_topics: InternalTopics | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    ignore: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.application_id

    @property
    def members(self) -> int | None:
        """How many members its group has: each thread is one. None if the instances are not declared."""
        if self.instances is None:
            return None
        configured = kafka_integer(self.config.get("num.stream.threads", ""))
        return self.instances * (self.threads or configured or 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acl(Declared):
    """A declared ACL: `resource` is topic, group, transactional-id, delegation-token, user or cluster."""

    principal: str
    resource: str
    name: str
    operations: tuple[str, ...]
    pattern: PatternType = "literal"
    host: str = "*"
    permission: Permission = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Declared):
    name: str
    mechanism: Literal["SCRAM-SHA-256", "SCRAM-SHA-512"]
    password_secret: str
    iterations: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota(Declared):
    user: str | None = None
    client_id: str | None = None
    producer_byte_rate: int | None = None
    consumer_byte_rate: int | None = None
    request_percentage: float | None = None
    controller_mutation_rate: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSetting(Declared):
    id: str
    severity: Literal["error", "warning", "advice", "off"] | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance(Declared):
    """A risk of one change that somebody accepts. `change` is the change in the words of a review."""

    change: str
    reason: str
    until: date  # the last day
    ticket: str | None = None


@dataclass(frozen=True, slots=True)
class CommentIgnore:
    """A comment `# kafka-topology: ignore KT508 reason`.

    At the end of a line it applies to that line; alone on a line, to the next one that is not a comment. If that line
    declares a resource, it applies to the whole resource, named by `kind` and `resource`.
    """

    rule: str
    reason: str
    location: Location
    line: int = 0
    kind: str = ""
    resource: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology(Declared):
    root: Path = field(compare=False)
    environment: str | None = field(default=None, compare=False)
    environments: tuple[str, ...] = field(default=(), compare=False)
    cluster: Cluster
    ownership: Ownership
    patterns: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict, compare=False)
    environment_profiles: frozenset[str] = field(default=frozenset(), compare=False)  # used by any environment
    topics: Mapping[str, Topic] = field(default_factory=dict)
    producers: Mapping[str, Producer] = field(default_factory=dict)
    consumer_groups: Mapping[str, ConsumerGroup] = field(default_factory=dict)
    share_groups: Mapping[str, ShareGroup] = field(default_factory=dict)
    streams: Mapping[str, StreamsApplication] = field(default_factory=dict)
    acls: tuple[Acl, ...] = ()
    users: Mapping[str, User] = field(default_factory=dict)
    quotas: tuple[Quota, ...] = ()
    rules: Mapping[str, RuleSetting] = field(default_factory=dict)
    accept: tuple[Acceptance, ...] = ()
    schemas: Mapping[str, str] = field(default_factory=dict, repr=False)  # the text of each schema file, by path
    comment_ignores: tuple[CommentIgnore, ...] = field(default=(), compare=False)
    # The same files without an environment and in all others; resolved when somebody asks.
    elsewhere: Callable[[], Iterable[Topology]] = field(default=tuple, compare=False, repr=False)

    def producers_of(self, topic: str) -> Iterator[Producer]:
        return (p for p in self.producers.values() if topic in p.topics)

    def groups_of(self, topic: str) -> Iterator[ConsumerGroup]:
        return (g for g in self.consumer_groups.values() if topic in g.topics or topic in g.assign)
