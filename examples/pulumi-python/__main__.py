"""Kafka resources from Python, on two clusters, without a topology file.

The plugin, `pulumi-resource-kafka-topology`, is found on PATH: activate the environment that has kafka-topology.

    pulumi config set bootstrap  localhost:9092
    pulumi config set mirror     localhost:9093
    pulumi config set --secret checkoutPassword …
"""

import pulumi

from kafka_topology import sdk as kafka

config = pulumi.Config()
owned = kafka.OwnershipArgs(topics=["shop."], groups=["shop."], principals=["User:shop-"])
# The rules judge a program too. Here each finding is accepted by name, with its reason.
rules = kafka.RulesArgs(
    ignore=[kafka.RuleIgnoreArgs(rule="KT103", resource="shop.*", reason="the clusters of the example have one broker")]
)
main = pulumi.ResourceOptions(
    provider=kafka.Provider("main", bootstrap_servers=config.require("bootstrap"), ownership=owned, rules=rules)
)
mirror = pulumi.ResourceOptions(
    provider=kafka.Provider("mirror", bootstrap_servers=config.require("mirror"), ownership=owned, rules=rules)
)

orders = kafka.Topic(
    "shop.orders",
    partitions=6,
    replication=1,
    config={"retention.ms": "604800000"},
    deletion="allowed",
    opts=main,
)
kafka.Topic(
    "shop.orders-copy",
    name="shop.orders",
    partitions=orders.partitions,
    replication=1,
    deletion="allowed",
    opts=mirror,
)
billing = kafka.ConsumerGroup(
    "shop.billing",
    topics=[orders.name],
    start="earliest",
    deletion="allowed",
    opts=main,
)

user = kafka.User(
    "shop-checkout",
    mechanism="SCRAM-SHA-512",
    password=config.require_secret("checkoutPassword"),
    opts=main,
)
access = kafka.Access(
    "User:shop-checkout",
    rules=[
        kafka.AccessRuleArgs(resource="topic", name=orders.name, operations=["Write", "Describe"]),
        # A dictionary does as well; a type checker knows its keys.
        {"resource": "transactional-id", "name": "shop-checkout-", "pattern": "prefixed", "operations": ["Write"]},
    ],
    opts=main,
)
kafka.Quota(
    "shop-checkout",
    user=user.name,
    producer_byte_rate=5_000_000,
    request_percentage=50,
    opts=main,
)

pulumi.export("ordersId", orders.topic_id)
pulumi.export("billingLag", billing.lag)
pulumi.export("undeclaredAccess", access.undeclared)
