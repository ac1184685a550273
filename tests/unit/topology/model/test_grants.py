"""What an ownership allows to be granted, and what needs a grant."""

from __future__ import annotations

import pytest

from kafka_topology.provider.config.settings import Owned
from kafka_topology.topology.model.grants import Allowance, Grants, is_inside

OWNED = Owned(topics=("shop.",), groups=("shop.",), principals=("User:shop-",))


def inside(owned, resource, name, operation="Read", **others):
    return is_inside(owned, Allowance(resource, name, operation, **others))


@pytest.mark.parametrize(
    ("resource", "name", "is_prefix", "expected"),
    [
        ("topic", "shop.orders", False, True),
        ("topic", "shop.", True, True),
        ("topic", "shop", True, False),
        ("topic", "s", True, False),
        ("topic", "bank.payments", False, False),
        ("topic", "*", False, False),
        ("group", "shop.billing", False, True),
        ("group", "*", False, False),
        ("transactional-id", "shop-checkout-", True, True),
        ("transactional-id", "shop.totals-", True, True),
        ("transactional-id", "bank-", True, False),
        ("transactional-id", "*", False, False),
        ("user", "User:shop-checkout", False, True),
        ("user", "User:bank", False, False),
        ("delegation-token", "abc", False, True),
        ("delegation-token", "*", False, False),
        ("cluster", "kafka-cluster", False, False),
    ],
)
def test_a_rule_lies_inside_the_ownership_or_needs_a_grant(resource, name, is_prefix, expected):
    assert inside(OWNED, resource, name, is_prefix=is_prefix) is expected
    assert inside(Owned(), resource, name, is_prefix=is_prefix)
    assert inside(OWNED, resource, name, is_prefix=is_prefix, is_denial=True)


def test_a_section_that_is_not_declared_sets_no_limit_but_on_the_wildcard_and_the_cluster():
    topics_only = Owned(topics=("shop.",))
    assert inside(topics_only, "group", "bank.billing")
    assert inside(topics_only, "transactional-id", "bank-")
    assert not inside(topics_only, "group", "*")
    assert not inside(Owned(principals=()), "topic", "*")
    assert not inside(topics_only, "cluster", "kafka-cluster", "Describe")
    assert inside(topics_only, "cluster", "kafka-cluster", "IdempotentWrite")


def test_grants_allow_what_they_name_and_no_more():
    granted = Owned(
        topics=("shop.",),
        groups=("shop.",),
        grants=Grants(topics=("bank.",), groups=("*",), cluster=("Describe",), transactional_ids=("bank-",)),
    )
    assert inside(granted, "topic", "bank.payments")
    assert inside(granted, "topic", "bank.", is_prefix=True)
    assert not inside(granted, "topic", "bank", is_prefix=True)
    assert not inside(granted, "topic", "*")
    assert inside(granted, "group", "*")
    assert inside(granted, "group", "bank.billing")
    assert inside(granted, "transactional-id", "bank-transfer-", is_prefix=True)
    assert inside(granted, "cluster", "kafka-cluster", "Describe")
    assert not inside(granted, "cluster", "kafka-cluster", "All")
    everything = Owned(grants=Grants(cluster=("All",)))
    assert inside(everything, "cluster", "kafka-cluster", "Alter")
