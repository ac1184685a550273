"""Kafka resources from Python, on two clusters, without a topology file.

The plugin, `pulumi-resource-kafka-topology`, is found on PATH: activate the environment that has kafka-topology.

    pulumi config set bootstrap  localhost:9092
    pulumi config set mirror     localhost:9093
    pulumi config set --secret checkoutPassword …
"""

import pulumi

from kafka_topology.provider.resources import Access, Provider, Quota, Topic, User

config = pulumi.Config()
owned = {"topics": ["shop."], "principals": ["User:shop-"]}
main = Provider("main", bootstrap_servers=config.require("bootstrap"), ownership=owned)
mirror = Provider("mirror", bootstrap_servers=config.require("mirror"), ownership=owned)

orders = Topic(
    "shop.orders",
    partitions=6,
    replication=1,
    config={"retention.ms": "604800000"},
    deletion="allowed",
    opts=pulumi.ResourceOptions(provider=main),
)
copy = Topic(
    "shop.orders-copy",
    name="shop.orders",
    partitions=orders.partitions,
    replication=1,
    deletion="allowed",
    opts=pulumi.ResourceOptions(provider=mirror),
)

user = User(
    "shop-checkout",
    mechanism="SCRAM-SHA-512",
    password=config.require_secret("checkoutPassword"),
    opts=pulumi.ResourceOptions(provider=main),
)
access = Access(
    "User:shop-checkout",
    rules=[
        {"resource": "topic", "name": orders.name, "operations": ["Write", "Describe"]},
        {"resource": "transactional-id", "name": "shop-checkout-", "pattern": "prefixed", "operations": ["Write"]},
    ],
    opts=pulumi.ResourceOptions(provider=main),
)
Quota(
    "shop-checkout",
    user=user.name,
    producer_byte_rate=5_000_000,
    request_percentage=50,
    opts=pulumi.ResourceOptions(provider=main),
)

pulumi.export("ordersId", orders.topic_id)
pulumi.export("undeclaredAccess", access.undeclared)
