"""kafka-python and aiokafka: keyword arguments, mostly Java's names with underscores."""

from __future__ import annotations

from collections.abc import Mapping

from ....model.units import LARGEST
from ..assignors import classes_of, words_for
from .library import Library, Own
from .relations import HEARTBEAT_BELOW_SESSION, NO_TRANSACTION_WITHOUT_IDEMPOTENCE, AtLeast

_UNBOUNDED = str(min(LARGEST, 2**31 - 1))
_ACKS = (("all", "all"), ("-1", "all"))
_ASSIGNORS = "partition.assignment.strategy"
_EAGER = {
    "range": "RangePartitionAssignor",
    "roundrobin": "RoundRobinPartitionAssignor",
    "sticky": "StickyPartitionAssignor",
}


def _arguments(text: str, defaults: Mapping[str, str], own_only: str) -> dict[str, Own]:
    """Arguments that are Java's names with underscores, with defaults; and those that Java does not have."""
    shared = {
        name: Own(name.replace("_", "."), defaults.get(name), words=_ACKS if name == "acks" else ())
        for name in text.split()
    }
    return shared | {name: Own(counts=name.replace("_", ".")) for name in own_only.split()}


_CONNECTION = """bootstrap_servers client_id client_dns_lookup connections_max_idle_ms metadata_max_age_ms
    metrics_num_samples metrics_sample_window_ms receive_buffer_bytes reconnect_backoff_max_ms reconnect_backoff_ms
    request_timeout_ms retry_backoff_ms sasl_kerberos_service_name sasl_mechanism security_protocol send_buffer_bytes"""
_CONNECTION_ONLY = """allow_auto_create_topics api_version bootstrap_timeout_ms kafka_client metric_reporters
    metrics_enabled proxy_url receive_message_max_bytes sasl_kerberos_domain_name sasl_kerberos_name
    sasl_oauth_token_provider sasl_plain_password sasl_plain_username selector socket_options socks5_proxy ssl_cafile
    ssl_certfile ssl_ciphers ssl_context ssl_crlfile ssl_keyfile ssl_password"""

_HOSTNAME = {
    "ssl_check_hostname": Own(
        "ssl.endpoint.identification.algorithm", "https", words=(("true", "https"), ("false", ""))
    )
}

# The two old words still work, with a warning in the log.
_RESETS = {
    "auto_offset_reset": Own(
        "auto.offset.reset",
        "latest",
        words=(
            ("earliest", "earliest"),
            ("smallest", "earliest"),
            ("latest", "latest"),
            ("largest", "latest"),
            ("none", "none"),
        ),
    )
}

KAFKA_PYTHON = Library(
    "kafka-python",
    "kafka-python",
    "python",
    "murmur2",
    _arguments(
        f"""{_CONNECTION} acks batch_size compression_type delivery_timeout_ms enable_idempotence linger_ms
        max_block_ms max_in_flight_requests_per_connection max_request_size retries transaction_timeout_ms
        transactional_id""",
        {
            "acks": "all",
            "batch_size": "16384",
            "delivery_timeout_ms": "120000",
            "enable_idempotence": "true",
            "linger_ms": "0",
            "max_in_flight_requests_per_connection": "5",
            "max_request_size": "1048576",
            "request_timeout_ms": "30000",
            "retries": _UNBOUNDED,
            "transaction_timeout_ms": "60000",
        },
        f"{_CONNECTION_ONLY} key_serializer partitioner value_serializer",
    )
    | _HOSTNAME,
    _arguments(
        f"""{_CONNECTION} auto_commit_interval_ms auto_offset_reset check_crcs client_rack enable_auto_commit
        exclude_internal_topics fetch_max_bytes fetch_max_wait_ms fetch_min_bytes group_id group_instance_id
        heartbeat_interval_ms isolation_level max_partition_fetch_bytes
        max_poll_interval_ms max_poll_records session_timeout_ms""",
        {
            "auto_commit_interval_ms": "5000",
            "auto_offset_reset": "latest",
            "connections_max_idle_ms": "540000",
            "enable_auto_commit": "true",
            "fetch_max_bytes": "52428800",
            "fetch_max_wait_ms": "500",
            "heartbeat_interval_ms": "3000",
            "isolation_level": "read_uncommitted",
            "max_partition_fetch_bytes": "1048576",
            "max_poll_interval_ms": "300000",
            "max_poll_records": "500",
            "request_timeout_ms": "30000",
            "session_timeout_ms": "45000",
        },
        f"""{_CONNECTION_ONLY} consumer_timeout_ms default_offset_commit_callback enable_incremental_fetch_sessions
        key_deserializer max_in_flight_requests_per_connection metric_group_prefix value_deserializer""",
    )
    | {
        "partition_assignment_strategy": Own(
            _ASSIGNORS,
            classes_of("range", "roundrobin"),
            "code",
            words_for({**_EAGER, "cooperative-sticky": "CooperativeStickyAssignor"}),
        )
    }
    | _RESETS
    | _HOSTNAME,
    {"murmur2": "kafka.partitioner.default.DefaultPartitioner()"},
    version="3.0.12",
    mixes_assignors=False,
    relations=(
        AtLeast(
            "producer",
            "delivery.timeout.ms",
            ("linger.ms", "request.timeout.ms"),
            found_by="KT405",
        ),
        NO_TRANSACTION_WITHOUT_IDEMPOTENCE,
        AtLeast(
            "consumer",
            "request.timeout.ms",
            ("fetch.max.wait.ms",),
            1,
            lowers="fetch.max.wait.ms",
            found_by="KT525",
        ),
        AtLeast("consumer", "connections.max.idle.ms", ("request.timeout.ms",), 1),
        HEARTBEAT_BELOW_SESSION,
    ),
    when_transactional={"enable.idempotence": "true"},
)
_AIO = """bootstrap_servers client_id connections_max_idle_ms metadata_max_age_ms request_timeout_ms retry_backoff_ms
    sasl_kerberos_service_name sasl_mechanism security_protocol"""
_AIO_ONLY = """api_version loop sasl_kerberos_domain_name sasl_oauth_token_provider sasl_plain_password
    sasl_plain_username ssl_context"""
AIOKAFKA = Library(
    "aiokafka",
    "aiokafka",
    "python",
    "murmur2",
    _arguments(
        f"{_AIO} acks compression_type enable_idempotence linger_ms max_request_size transaction_timeout_ms"
        " transactional_id",
        {
            "acks": "1",
            "enable_idempotence": "false",
            "linger_ms": "0",
            "max_request_size": "1048576",
            "request_timeout_ms": "40000",
            "transaction_timeout_ms": "60000",
        },
        f"{_AIO_ONLY} key_serializer partitioner value_serializer",
    )
    | {"max_batch_size": Own("batch.size", "16384")},
    _arguments(
        f"""{_AIO} auto_commit_interval_ms auto_offset_reset check_crcs client_rack enable_auto_commit
        exclude_internal_topics fetch_max_bytes fetch_max_wait_ms fetch_min_bytes group_id group_instance_id
        heartbeat_interval_ms isolation_level max_partition_fetch_bytes max_poll_interval_ms max_poll_records
        session_timeout_ms""",
        {
            "auto_commit_interval_ms": "5000",
            "auto_offset_reset": "latest",
            "enable_auto_commit": "true",
            "fetch_max_bytes": "52428800",
            "fetch_max_wait_ms": "500",
            "heartbeat_interval_ms": "3000",
            "isolation_level": "read_uncommitted",
            "max_partition_fetch_bytes": "1048576",
            "max_poll_interval_ms": "300000",
            "request_timeout_ms": "40000",
            "session_timeout_ms": "10000",
        },
        f"{_AIO_ONLY} consumer_timeout_ms key_deserializer rebalance_timeout_ms value_deserializer",
    )
    | {"partition_assignment_strategy": Own(_ASSIGNORS, classes_of("roundrobin"), "code", words_for(_EAGER))},
    {"murmur2": "aiokafka.partitioner.DefaultPartitioner()"},
    version="0.14.0",
    # It retries until request_timeout_ms, one request per broker and partition at a time.
    in_code={"delivery.timeout.ms": "aiokafka has no such limit: an idempotent producer retries until it succeeds"},
    fixed={"producer": {"retries": _UNBOUNDED, "max.in.flight.requests.per.connection": "1"}},
    when_idempotent={"acks": "all"},
    record_limit="max.poll.interval.ms",
    when_transactional={"enable.idempotence": "true"},
)
