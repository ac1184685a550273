"""Go's clients: sarama, franz-go and kafka-go. Names are those of fields and options."""

from __future__ import annotations

from ..assignors import classes_of, words_for
from .library import Form, Library, Own
from .relations import HEARTBEAT_BELOW_SESSION, NO_TRANSACTION_WITHOUT_IDEMPOTENCE, AtLeast, Only

_DURATION: Form = "duration"
_ASSIGNORS = "partition.assignment.strategy"


def _names(text: str) -> dict[str, Own]:
    """Settings that the Java client does not have."""
    return {name: _own(name) for name in text.split()}


def _own(name: str) -> Own:
    if name in _DURATIONS.split():
        return Own(form=_DURATION)
    if name in _FLAGS.split():
        return Own(form="flag")
    return Own(counts="fetch.max.bytes") if name.endswith("Bytes") or name == "Consumer.Fetch.Max" else Own()


# Those of them that are a time.Duration.
_DURATIONS = """Metadata.Retry.Backoff Metadata.Timeout Net.DialTimeout Net.KeepAlive Net.ReadTimeout Net.WriteTimeout
    Producer.Transaction.Retry.Backoff Consumer.Group.Rebalance.Retry.Backoff Consumer.Group.Rebalance.Timeout
    Consumer.MaxProcessingTime Consumer.Offsets.AutoCommit.Interval Consumer.Offsets.CommitInterval
    Consumer.Offsets.Retention Consumer.Retry.Backoff ConcurrentTransactionsBackoff ConnIdleTimeout
    ConsiderMissingTopicDeletedAfter DialTimeout MetadataMinAge RequestTimeoutOverhead RetryTimeout
    RecheckPreferredReplicaInterval CommitInterval JoinGroupBackoff PartitionWatchInterval ReadBackoffMax
    ReadBackoffMin ReadBatchTimeout ReadLagInterval ReadTimeout RetentionTime WriteBackoffMax WriteBackoffMin"""
# Options of franz-go without an argument.
_FLAGS = """AllowAutoTopicCreation AllowIdempotentProduceCancellation AlwaysRetryEOF AutoCommitMarks
    BlockRebalanceOnPoll
    ConsumeRegex DefaultProduceTopicAlways DisableClientMetrics DisableFetchCRCValidation DisableFetchSessions
    GreedyAutoCommit KeepControlRecords KeepRetryableFetchErrors ManualFlushing RequireStableFetchOffsets
    StopProducerOnDataLossDetected"""
_OFFSETS = tuple(
    (form.format(word), reset)
    for form in ("{}", "NewOffset().{}()")
    for word, reset in (("AtStart", "earliest"), ("AtEnd", "latest"))
)
_SARAMA_CONNECTION = {
    "Version": Own(form="code"),
    "ClientID": Own("client.id", form="text"),
    "RackID": Own("client.rack", form="text"),
    "Metadata.RefreshFrequency": Own("metadata.max.age.ms", "600000", _DURATION),
    **_names(
        """ApiVersionsRequest ChannelBufferSize MetricRegistry Metadata.AllowAutoTopicCreation Metadata.Full
        Metadata.Retry.Backoff Metadata.Retry.BackoffFunc Metadata.Retry.Max Metadata.SingleFlight Metadata.Timeout
        Net.DialTimeout Net.KeepAlive Net.LocalAddr Net.Proxy.Dialer Net.Proxy.Enable Net.ReadTimeout
        Net.ResolveCanonicalBootstrapServers Net.SASL.AuthIdentity Net.SASL.Enable Net.SASL.GSSAPI Net.SASL.Handshake
        Net.SASL.Mechanism Net.SASL.Password Net.SASL.SCRAMAuthzID Net.SASL.SCRAMClientGeneratorFunc
        Net.SASL.TokenProvider Net.SASL.User Net.SASL.Version Net.TLS.Config Net.TLS.Enable Net.WriteTimeout"""
    ),
}
_SARAMA_ASSIGNORS = (
    *words_for(
        {
            "range": "NewBalanceStrategyRange()",
            "roundrobin": "NewBalanceStrategyRoundRobin()",
            "sticky": "NewBalanceStrategySticky()",
            "cooperative-sticky": "NewBalanceStrategyCooperativeSticky()",
        }
    ),
    # Variables of older versions.
    *words_for(
        {"range": "BalanceStrategyRange", "roundrobin": "BalanceStrategyRoundRobin", "sticky": "BalanceStrategySticky"}
    ),
)
SARAMA = Library(
    "sarama",
    "sarama",
    "sarama",
    "sarama-hash",
    {
        "Producer.RequiredAcks": Own(
            "acks", "1", words=(("WaitForAll", "all"), ("-1", "all"), ("WaitForLocal", "1"), ("NoResponse", "0"))
        ),
        "Producer.Idempotent": Own("enable.idempotence", "false"),
        "Net.MaxOpenRequests": Own("max.in.flight.requests.per.connection", "5"),
        "Producer.Retry.Max": Own("retries", "3"),
        "Producer.Retry.Backoff": Own("retry.backoff.ms", "100", _DURATION),
        "Producer.MaxMessageBytes": Own("max.request.size", "1048576"),
        "Producer.Timeout": Own("request.timeout.ms", "10000", _DURATION),
        "Producer.Transaction.ID": Own("transactional.id", form="text"),
        "Producer.Transaction.Timeout": Own("transaction.timeout.ms", "60000", _DURATION),
        "Producer.Flush.Frequency": Own("linger.ms", "0", _DURATION),
        "Producer.Compression": Own(
            "compression.type",
            "none",
            words=(
                ("CompressionZSTD", "zstd"),
                ("CompressionLZ4", "lz4"),
                ("CompressionGZIP", "gzip"),
                ("CompressionSnappy", "snappy"),
                ("CompressionNone", "none"),
            ),
        ),
        **_SARAMA_CONNECTION,
        **_names(
            """Producer.CompressionLevel Producer.Flush.Bytes Producer.Flush.MaxMessages Producer.Flush.Messages
            Producer.Interceptors Producer.Partitioner Producer.Retry.BackoffFunc Producer.Retry.MaxBufferBytes
            Producer.Retry.MaxBufferLength Producer.Return.Errors Producer.Return.Successes
            Producer.Transaction.Retry.Backoff Producer.Transaction.Retry.BackoffFunc Producer.Transaction.Retry.Max"""
        ),
    },
    {
        "Consumer.Offsets.Initial": Own(
            "auto.offset.reset",
            "latest",
            words=(("OffsetOldest", "earliest"), ("-2", "earliest"), ("OffsetNewest", "latest"), ("-1", "latest")),
        ),
        "Consumer.IsolationLevel": Own(
            "isolation.level",
            "read_uncommitted",
            words=(("ReadCommitted", "read_committed"), ("ReadUncommitted", "read_uncommitted")),
        ),
        "Consumer.Group.Session.Timeout": Own("session.timeout.ms", "10000", _DURATION),
        "Consumer.Group.Heartbeat.Interval": Own("heartbeat.interval.ms", "3000", _DURATION),
        "Consumer.Group.InstanceId": Own("group.instance.id", form="text"),
        "Consumer.Fetch.Min": Own("fetch.min.bytes", "1"),
        "Consumer.Fetch.Default": Own("max.partition.fetch.bytes", "1048576"),
        "Consumer.Fetch.MaxBytes": Own("fetch.max.bytes", "52428800"),
        "Consumer.Offsets.AutoCommit.Enable": Own("enable.auto.commit", "true"),
        "Consumer.MaxWaitTime": Own("fetch.max.wait.ms", "500", _DURATION),
        "Consumer.Group.Rebalance.GroupStrategies": Own(_ASSIGNORS, classes_of("range"), "code", _SARAMA_ASSIGNORS),
        "Consumer.Group.Rebalance.Strategy": Own(_ASSIGNORS, None, "code", _SARAMA_ASSIGNORS),
        **_SARAMA_CONNECTION,
        **_names(
            """Consumer.Fetch.Max Consumer.Group.Member.UserData Consumer.Group.Rebalance.Retry.Backoff
            Consumer.Group.Rebalance.Retry.Max Consumer.Group.Rebalance.Timeout Consumer.Group.ResetInvalidOffsets
            Consumer.Interceptors Consumer.MaxProcessingTime
            Consumer.Offsets.AutoCommit.Interval Consumer.Offsets.CommitInterval
            Consumer.Offsets.Retention Consumer.Offsets.Retry.Max Consumer.Retry.Backoff Consumer.Retry.BackoffFunc
            Consumer.Retry.Max Consumer.Return.Errors Net.MaxOpenRequests"""
        ),
    },
    {
        "sarama-hash": "NewHashPartitioner",
        "sarama-reference-hash": "NewReferenceHashPartitioner",
        "sarama-consistent-crc": "NewConsistentCRCHashPartitioner",
        "round-robin": "NewRoundRobinPartitioner",
        "random": "NewRandomPartitioner",
        "explicit": "NewManualPartitioner",
    },
    partitioner_setting="Producer.Partitioner",
    version="1.61.1",
    idempotent_in_flight=1,
    commits_processed=True,  # it commits only what the application marked as processed, by itself or not
    relations=(NO_TRANSACTION_WITHOUT_IDEMPOTENCE, HEARTBEAT_BELOW_SESSION),
    in_code={
        "group.id": "the second argument of sarama.NewConsumerGroup",
        "delivery.timeout.ms": "sarama has no such limit, and retries Producer.Retry.Max times",
    },
)
_FRANZ_CONNECTION = {
    "ClientID": Own("client.id", form="text"),
    "MetadataMaxAge": Own("metadata.max.age.ms", "300000", _DURATION),
    **_names(
        """AllowAutoTopicCreation AlwaysRetryEOF BrokerMaxReadBytes BrokerMaxWriteBytes ConcurrentTransactionsBackoff
        ConnIdleTimeout ConsiderMissingTopicDeletedAfter DialTLS DialTLSConfig DialTimeout Dialer DisableClientMetrics
        MaxDecompressBatchBytes MaxVersions MetadataMinAge MinVersions OnRebootstrapRequired RequestRetries
        RequestTimeoutOverhead RetryBackoffFn RetryTimeout RetryTimeoutFn SASL SeedBrokers SoftwareNameAndVersion
        UserMetricsFn WithContext WithHooks WithLogger WithPools"""
    ),
}
FRANZ_GO = Library(
    "franz-go",
    "franz-go",
    "franz-go",
    "murmur2",
    {
        "RequiredAcks": Own("acks", "all", words=(("AllISRAcks", "all"), ("LeaderAck", "1"), ("NoAck", "0"))),
        "DisableIdempotentWrite": Own("enable.idempotence", "true", "flag"),
        "MaxProduceRequestsInflightPerBroker": Own("max.in.flight.requests.per.connection", "1"),
        "RecordRetries": Own("retries", "2147483647"),
        "RecordDeliveryTimeout": Own("delivery.timeout.ms", "2147483647", _DURATION),
        "ProduceRequestTimeout": Own("request.timeout.ms", "10000", _DURATION),
        "ProducerLinger": Own("linger.ms", "10", _DURATION),
        "ProducerBatchMaxBytes": Own("max.request.size", "1000012"),
        "TransactionalID": Own("transactional.id", form="text"),
        "TransactionTimeout": Own("transaction.timeout.ms", "40000", _DURATION),
        **_FRANZ_CONNECTION,
        **_names(
            """AllowIdempotentProduceCancellation DefaultProduceTopic DefaultProduceTopicAlways ManualFlushing
            MaxBufferedBytes MaxBufferedRecords ProducerBatchCompression ProducerBatchMaxBytesFn
            ProducerOnDataLossDetected RackAwarePartitioning RecordPartitioner StopProducerOnDataLossDetected
            StreamingCompression UnknownTopicRetries WithCompressor"""
        ),
    },
    {
        "ConsumerGroup": Own("group.id", form="text"),
        "InstanceID": Own("group.instance.id", form="text"),
        "ConsumeStartOffset": Own("auto.offset.reset", "earliest", words=_OFFSETS),
        "ConsumeResetOffset": Own("auto.offset.reset", "earliest", words=_OFFSETS),
        "DisableAutoCommit": Own("enable.auto.commit", "true", "flag"),
        "AutoCommitInterval": Own("auto.commit.interval.ms", "5000", _DURATION),
        "FetchIsolationLevel": Own(
            "isolation.level",
            "read_uncommitted",
            words=(("ReadCommitted", "read_committed"), ("ReadUncommitted", "read_uncommitted")),
        ),
        "SessionTimeout": Own("session.timeout.ms", "45000", _DURATION),
        "HeartbeatInterval": Own("heartbeat.interval.ms", "3000", _DURATION),
        "RebalanceTimeout": Own("max.poll.interval.ms", "60000", _DURATION),
        "FetchMaxBytes": Own("fetch.max.bytes", "52428800"),
        "FetchMaxPartitionBytes": Own("max.partition.fetch.bytes", "1048576"),
        "FetchMinBytes": Own("fetch.min.bytes", "1"),
        "FetchMaxWait": Own("fetch.max.wait.ms", form=_DURATION),
        "Rack": Own("client.rack", form="text"),
        "Balancers": Own(
            _ASSIGNORS,
            classes_of("cooperative-sticky"),
            "code",
            words_for(
                {
                    "range": "RangeBalancer()",
                    "roundrobin": "RoundRobinBalancer()",
                    "sticky": "StickyBalancer()",
                    "cooperative-sticky": "CooperativeStickyBalancer()",
                }
            ),
        ),
        "ServerSideBalancer": Own("group.protocol", "classic", words=(("true", "consumer"), ("false", "classic"))),
        **_FRANZ_CONNECTION,
        **_names(
            """AdjustFetchOffsetsFn AutoCommitCallback AutoCommitMarks BalanceRacks BlockRebalanceOnPoll
            ConsumeExcludeTopics ConsumePartitions ConsumePreferringLagFn ConsumeRegex ConsumeTopics
            DisableFetchCRCValidation DisableFetchSessions GreedyAutoCommit GroupProtocol KeepControlRecords
            KeepRetryableFetchErrors MaxConcurrentFetches OnOffsetsFetched OnPartitionsAssigned
            OnPartitionsCallbackBlocked OnPartitionsLost OnPartitionsRevoked RecheckPreferredReplicaInterval
            RequireStableFetchOffsets ShareAckCallback ShareGroup ShareMaxRecords
            ShareMaxRecordsStrict WithDecompressor"""
        ),
    },
    {
        "round-robin": "RoundRobinPartitioner()",
        "sticky": "StickyPartitioner()",
        "explicit": "ManualPartitioner()",
    },
    partitioner_setting="RecordPartitioner",
    version="1.22.2",
    when_idempotent={"max.in.flight.requests.per.connection": "5"},
    relations=(
        NO_TRANSACTION_WITHOUT_IDEMPOTENCE,
        Only("producer", "acks", "all", when=(("enable.idempotence", "true"),), found_by="KT418"),
    ),
    chooses_in_flight=True,
    keeps_idempotence=True,
    commits_processed=("AutoCommitMarks", "true"),
    commits_in_transactions=True,  # a GroupTransactSession
)
KAFKA_GO = Library(
    "kafka-go",
    "kafka-go",
    "kafka-go",
    "round-robin",
    {
        "RequiredAcks": Own(
            "acks", "0", words=(("RequireAll", "all"), ("-1", "all"), ("RequireOne", "1"), ("RequireNone", "0"))
        ),
        "MaxAttempts": Own("retries", "9", "attempts"),
        "BatchBytes": Own("max.request.size", "1048576"),
        "BatchTimeout": Own("linger.ms", "1000", _DURATION),
        "WriteTimeout": Own("request.timeout.ms", "10000", _DURATION),
        **_names(
            """Addr AllowAutoTopicCreation Async Balancer BatchSize Completion Compression ErrorLogger Logger
            ReadTimeout Topic Transport WriteBackoffMax WriteBackoffMin"""
        ),
    },
    {
        "GroupID": Own("group.id", form="text"),
        "StartOffset": Own(
            "auto.offset.reset",
            "earliest",
            words=(("FirstOffset", "earliest"), ("-2", "earliest"), ("LastOffset", "latest"), ("-1", "latest")),
        ),
        "IsolationLevel": Own(
            "isolation.level",
            "read_uncommitted",
            words=(("ReadCommitted", "read_committed"), ("ReadUncommitted", "read_uncommitted")),
        ),
        "SessionTimeout": Own("session.timeout.ms", "30000", _DURATION),
        "HeartbeatInterval": Own("heartbeat.interval.ms", "3000", _DURATION),
        "RebalanceTimeout": Own("max.poll.interval.ms", "30000", _DURATION),
        "MinBytes": Own("fetch.min.bytes", "1"),
        "MaxBytes": Own("fetch.max.bytes", "1000000"),
        "MaxWait": Own("fetch.max.wait.ms", "10000", _DURATION),
        "GroupBalancers": Own(
            _ASSIGNORS,
            classes_of("range", "roundrobin"),
            "code",
            words_for({"range": "RangeGroupBalancer{}", "roundrobin": "RoundRobinGroupBalancer{}"}),
        ),
        **_names(
            """Brokers CommitInterval Dialer ErrorLogger GroupTopics JoinGroupBackoff Logger MaxAttempts
            OffsetOutOfRangeError Partition PartitionWatchInterval QueueCapacity ReadBackoffMax ReadBackoffMin
            ReadBatchTimeout ReadLagInterval RetentionTime Topic WatchPartitionChanges"""
        ),
    },
    {
        "sarama-reference-hash": "&kafka.ReferenceHash{}",
        "sarama-hash": "&kafka.Hash{}",
        "librdkafka-consistent": "&kafka.CRC32Balancer{Consistent: true}",
        "librdkafka-consistent-random": "&kafka.CRC32Balancer{}",
        "murmur2": "&kafka.Murmur2Balancer{}",
        "librdkafka-murmur2": "&kafka.Murmur2Balancer{Consistent: true}",
        "round-robin": "&kafka.RoundRobin{}",
    },
    partitioner_setting="Balancer",
    version="0.4.51",
    relations=(AtLeast("consumer", "fetch.max.bytes", ("fetch.min.bytes",), lowers="fetch.min.bytes"),),
    # Its writer knows no idempotence, and its reader commits when the application calls CommitMessages or ReadMessage.
    fixed={"producer": {"enable.idempotence": "false"}, "consumer": {"enable.auto.commit": "false"}},
    in_code={"delivery.timeout.ms": "the deadline of the context of WriteMessages"},
    commits_how=(
        "read with FetchMessage, and call CommitMessages after processing: ReadMessage commits a record before the"
        " application has it"
    ),
)
