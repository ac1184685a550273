"""For the examples of rules: what many of them begin with, and a way to derive one from another."""

from __future__ import annotations

from collections.abc import Mapping

# Each of these begins a topology: one topic, on one line, or as a block that more fields can follow,
# or an ownership.
ORDERS = "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n"
ORDERS_BLOCK = "version: 1\ntopics:\n  orders:\n    partitions: 6\n    replication: 3\n"
ORDERED = "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}\n"
SHOP_ORDERS = "version: 1\ntopics:\n  shop.orders: {partitions: 6, replication: 3}\n"
CLICKS = "version: 1\ntopics:\n  clicks: {partitions: 6, replication: 3}\n"
PRICES_BLOCK = "version: 1\ntopics:\n  prices:\n    partitions: 6\n    replication: 3\n"
OWNED_SHOP = """\
version: 1
ownership:
  topics: ["shop."]
  groups: ["shop."]
  principals: ["User:shop-"]
  grants: {topics: [bank.payments]}
topics:
  shop.orders: {partitions: 6, replication: 3}
consumerGroups:
  shop.billing: {principal: "User:shop-billing", topics: [shop.orders, bank.payments]}
"""
OWNED_TOPICS = "version: 1\nownership: {topics: [shop.]}\n"
OWNED_PRINCIPALS = 'version: 1\nownership: {principals: ["User:shop-"]}\n'

# A share group on the topic of ORDERS. Its fields may follow.
PACKERS = ORDERS + "shareGroups:\n  packers:\n    topics: [orders]\n"
# Each of these continues a topology: another topic, who reads or writes one, or how.
RETURNS = "  returns: {partitions: 6, replication: 3}\n"
BILLING = "consumerGroups:\n  billing:\n    topics: [orders]\n"
CHECKOUT = "producers:\n  checkout:\n    topics: [orders]\n"
TRACKER = "producers:\n  tracker:\n    topics: [clicks]\n    delivery: at-most-once\n"
CHECKOUT_ACCESS = 'producers:\n  checkout: {principal: "User:checkout", topics: [orders]}\n'
CHECKOUT_EXACTLY_ONCE = (
    "producers:\n  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}\n"
)
EXACTLY_ONCE = "    delivery: exactly-once\n    transactionalId: checkout-\n"  # after CHECKOUT
SUMMING = "  totals: {partitions: 6, replication: 3}\nstreams:\n  summing:\n    reads: [orders]\n    writes: [totals]\n"


def orders_with(fields: str) -> str:
    """A topology with one topic that has these fields besides its counts: `retention: 7d, ordering: per-key`."""
    return f"version: 1\ntopics:\n  orders: {{partitions: 6, replication: 3, {fields}}}\n"


def inheriting(profile: str, fields: str = "partitions: 6", *, topic: str = "orders") -> str:
    """A topology with one topic that inherits the fields of a profile, and has `fields` of its own."""
    return f"version: 1\nprofiles:\n  event: {{{profile}}}\ntopics:\n  {topic}: {{profile: event, {fields}}}\n"


def on_cluster(cluster: str, text: str) -> str:
    """The example on a cluster with these fields: `kafka: "4.1"`. Its other lines move down by one."""
    return changed(text, {"version: 1\n": f"version: 1\ncluster: {{{cluster}}}\n"})


def changed(text: str, changes: Mapping[str, str]) -> str:
    """The example with each key of `changes` replaced by its value.

    Raises ValueError if a key does not occur exactly once: the example would not show what its rule says.
    """
    for old, new in changes.items():
        found = text.count(old)
        if found != 1:
            raise ValueError(f"{old!r} occurs {found} times in the example; expected once:\n{text}")
        text = text.replace(old, new)
    return text
