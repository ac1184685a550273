"""KafkaJS. `retry.retries` is the option `retries` of `retry`; `acks`, `autoCommit` and so on belong to its methods."""

from __future__ import annotations

from ..assignors import classes_of, words_for
from .library import Library, Own
from .relations import HEARTBEAT_BELOW_SESSION

_SHARED = {
    "metadataMaxAge": Own("metadata.max.age.ms", "300000"),
    "allowAutoTopicCreation": Own(),
    "retry.maxRetryTime": Own(counts="retry.backoff.max.ms"),
    "retry.initialRetryTime": Own(counts="retry.backoff.ms"),
    "retry.factor": Own(),
    "retry.multiplier": Own(),
    "retry.retries": Own("retries", "5"),
    "retry.restartOnFailure": Own(),
}
KAFKAJS = Library(
    "kafkajs",
    "KafkaJS",
    "kafkajs",
    "murmur2",
    {
        "idempotent": Own("enable.idempotence", "false"),
        "maxInFlightRequests": Own("max.in.flight.requests.per.connection", "2147483647"),  # null: no limit
        "transactionalId": Own("transactional.id", form="text"),
        "transactionTimeout": Own("transaction.timeout.ms", "60000"),
        "createPartitioner": Own(),
        **_SHARED,
        "acks": Own("acks", "all", words=(("-1", "all"),)),
        "timeout": Own("request.timeout.ms", "30000"),
        "compression": Own(),
    },
    {
        "groupId": Own("group.id", form="text"),
        "sessionTimeout": Own("session.timeout.ms", "30000"),
        "rebalanceTimeout": Own("max.poll.interval.ms", "60000"),
        "heartbeatInterval": Own("heartbeat.interval.ms", "3000"),
        "maxBytesPerPartition": Own("max.partition.fetch.bytes", "1048576"),
        "minBytes": Own("fetch.min.bytes", "1"),
        "maxBytes": Own("fetch.max.bytes", "10485760"),
        "maxWaitTimeInMs": Own("fetch.max.wait.ms", "5000"),
        "maxInFlightRequests": Own(),
        "readUncommitted": Own(
            "isolation.level", "read_committed", words=(("true", "read_uncommitted"), ("false", "read_committed"))
        ),
        "rackId": Own("client.rack", form="text"),
        "partitionAssigners": Own(
            "partition.assignment.strategy",
            classes_of("roundrobin"),
            "code",
            words_for({"roundrobin": "PartitionAssigners.roundRobin"}),
        ),
        **{name: own for name, own in _SHARED.items() if name != "retry.retries"},
        "retry.retries": Own(),
        "fromBeginning": Own("auto.offset.reset", "latest", words=(("true", "earliest"), ("false", "latest"))),
        "autoCommit": Own("enable.auto.commit", "true"),
        "autoCommitInterval": Own("auto.commit.interval.ms"),
        "autoCommitThreshold": Own(),
        "eachBatchAutoResolve": Own(),
        "partitionsConsumedConcurrently": Own(),
    },
    {"murmur2": "Partitioners.DefaultPartitioner"},
    partitioner_setting="createPartitioner",
    version="2.2.4",
    when_idempotent={"retries": "2147483647"},
    when_transactional={"enable.idempotence": "true"},  # transaction() makes its own idempotent producer
    relations=(HEARTBEAT_BELOW_SESSION,),
    idempotent_in_flight=1,
    in_code={"delivery.timeout.ms": "KafkaJS has no such limit, and retries retry.retries times"},
    record_limit="session.timeout.ms",  # it sends heartbeats between two messages
    commits_processed=True,  # an offset is resolved when eachMessage or eachBatch returned
)
