"""The language of `shareGroups`."""

from __future__ import annotations

from ..model import declared as model
from .clients import LAG, OFFSET_RESET, POSITION
from .fields import DURATION, Integer
from .open_maps import Config
from .structures import Field, ListOf, Structure
from .terms import DELETION, IGNORE, IGNORE_DOC, OWNER_DOC, PRINCIPALS, PRINCIPALS_DOC, TEXT, TOPIC_NAME

SHARE_GROUP = Structure(
    "a share group",
    (
        Field("principal", PRINCIPALS, PRINCIPALS_DOC, attribute="principals"),
        Field("owner", TEXT, OWNER_DOC),
        Field("topics", ListOf(TOPIC_NAME, at_least=1, noun="topic"), "The topics it subscribes to.", required=True),
        Field("members", Integer(1), "Number of consumers that run at the same time; may exceed the partitions."),
        Field("start", POSITION, "Where a new group starts: earliest, latest, or a time."),
        Field("reset", OFFSET_RESET, "Moves the start offsets of a group without members."),
        Field(
            "maxLag",
            LAG,
            "Maximum lag from its start offsets to the ends of the logs: records, or the age of the oldest.",
        ),
        Field("maxOutage", DURATION, "How long it may be down without missing records."),
        Field("config", Config(of_client=True), "Settings of its consumers, by the Java client's names."),
        Field("groupConfig", Config(), "Group settings that the brokers hold, such as `share.auto.offset.reset`."),
        Field("deletion", DELETION, "Whether the group and its start offsets may be deleted."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.ShareGroup,
    definition="shareGroup",
)
