"""What librdkafka refuses although the Java client takes it: numbers out of its range, and settings that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ....model.units import kafka_integer
from .library import Change, Own
from .relations import NO_TRANSACTION_WITHOUT_IDEMPOTENCE, AtLeast, Only, Relation, Side, Values

_SUITE = re.compile(r"TLS_(?:(ECDHE|DHE)_)?(RSA|ECDSA)_WITH_(AES_\d+|CHACHA20)_(GCM|CBC|POLY1305)_(SHA\d*)")
_COOPERATIVE = "cooperative-sticky"
_MECHANISM = ("sasl.mechanism", "sasl.mechanisms")
_MECHANISMS = ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
_IDEMPOTENT = (("enable.idempotence", "true"),)
_NEW_PROTOCOL = (("group.protocol", "consumer"),)


def _transactional(name: str, gap: int, floor: tuple[str, ...] = (), found_by: str | None = None) -> Relation:
    """A timeout that the transaction must not end before; its default follows the transaction's."""
    set_ = (("transactional.id", None), (name, None))
    return AtLeast(
        "producer", "transaction.timeout.ms", (name,), gap, lowers=name, floor=floor, when=set_, found_by=found_by
    )


def _reconnects(side: Side) -> Relation:
    return AtLeast(side, "reconnect.backoff.max.ms", ("reconnect.backoff.ms",))


# By the messages of rd_kafka_conf_finalize. It adapts the default of a setting that is in `when`.
RELATIONS: tuple[Relation, ...] = (
    _reconnects("producer"),
    NO_TRANSACTION_WITHOUT_IDEMPOTENCE,
    Only("producer", "enable.gapless.guarantee", "false", when=(("enable.idempotence", "false"),)),
    Only("producer", "queuing.strategy", "fifo", when=_IDEMPOTENT),
    Only("producer", "queue.buffering.backpressure.threshold", "1", when=_IDEMPOTENT),
    _transactional("delivery.timeout.ms", 0, ("linger.ms", "request.timeout.ms"), found_by="KT420"),
    _transactional("socket.timeout.ms", -100),
    AtLeast(
        "producer",
        "delivery.timeout.ms",
        ("linger.ms",),
        1,
        lowers="linger.ms",
        when=(("linger.ms", None),),
        found_by="KT405",
        found_if=(("delivery.timeout.ms", None),),
    ),
    _reconnects("consumer"),
    AtLeast("consumer", "fetch.max.bytes", ("max.request.size",), when=(("fetch.max.bytes", None),)),
    AtLeast(
        "consumer",
        "receive.message.max.bytes",
        ("fetch.max.bytes",),
        512,
        when=(("receive.message.max.bytes", None),),
    ),
    AtLeast("consumer", "max.poll.interval.ms", ("session.timeout.ms",), unless=_NEW_PROTOCOL, found_by="KT506"),
    Only("consumer", "group.protocol.type", when=_NEW_PROTOCOL),
)


def fitted(side: Side, known: Mapping[str, Own], values: Mapping[str, str]) -> Iterator[Change]:
    """The settings to change, those that depend on others last."""
    fit: dict[str, str | None] = dict(values)
    for name, value, why in _each(known, values):
        fit[name] = value
        yield name, value, why
    yield from _together(side, {name: value for name, value in fit.items() if value is not None})


def _each(known: Mapping[str, Own], values: Mapping[str, str]) -> Iterator[Change]:
    for name, value in values.items():
        key = known[name].key if name in known else None
        if key is None:
            yield name, None, "librdkafka has no such setting"
            continue
        number = kafka_integer(value)
        if number is not None and key.minimum is not None and number < key.minimum:
            yield name, str(int(key.minimum)), f"it takes {int(key.minimum)} or more"
        elif number is not None and key.maximum is not None and number > key.maximum:
            yield name, str(int(key.maximum)), f"it takes {int(key.maximum)} or less"
        elif key.problem(value) is not None and not known[name].words:
            yield name, None, f"librdkafka expects {key.expected}"
        elif name == "ssl.cipher.suites":
            yield from _cipher_suites(value)
        elif name in _MECHANISM and value == "AWS_MSK_IAM":
            yield name, "OAUTHBEARER", "the application gives it tokens that it signs for AWS"
        elif name in _MECHANISM and value not in _MECHANISMS:
            yield name, None, f"librdkafka has {', '.join(_MECHANISMS)}"


def _together(side: Side, values: Mapping[str, str]) -> Iterator[Change]:
    assignors = values.get("partition.assignment.strategy", "").split(",") if side == "consumer" else [""]
    kept = [assignor for assignor in assignors if (assignor == _COOPERATIVE) == (assignors[0] == _COOPERATIVE)]
    if len(kept) < len(assignors):
        yield "partition.assignment.strategy", ",".join(kept), "it does not mix eager and cooperative assignors"


def _delivery_timeout(values: Values) -> str | None:
    """Without the setting: no longer than the transaction, if there is one."""
    usual, transaction = values.number("delivery.timeout.ms"), values.number("transaction.timeout.ms")
    if usual is None or transaction is None or "transactional.id" not in values.given:
        return values.value("delivery.timeout.ms")
    return str(min(usual, transaction))


def _fetch_max_bytes(values: Values) -> str | None:
    """Without the setting: what the queue holds, but no less than the largest message."""
    usual, queue = values.number("fetch.max.bytes"), values.number("queued.max.messages.kbytes")
    message = values.number("max.request.size")
    return None if usual is None or queue is None or message is None else str(max(min(usual, queue), message))


ADAPTED = {"delivery.timeout.ms": _delivery_timeout, "fetch.max.bytes": _fetch_max_bytes}


def _cipher_suites(value: str) -> Iterator[Change]:
    """Java's names as OpenSSL writes them. Those of TLS 1.3 cannot be chosen: OpenSSL allows all of them."""
    names = [_openssl(each.strip()) for each in re.split(r"[,:]", value)]
    kept = [name for name in names if name is not None]
    left_out = "; it always allows the suites of TLS 1.3" if len(kept) < len(names) else ""
    if ":".join(kept) != value:
        yield "ssl.cipher.suites", ":".join(kept) or None, f"OpenSSL has other names{left_out}"


def _openssl(name: str) -> str | None:
    found = _SUITE.fullmatch(name)
    if found is None:
        return None if name.startswith("TLS_") else name
    exchange, signature, cipher, mode, digest = found.groups()
    parts = [exchange, signature] if exchange else []
    parts.append(cipher.replace("_", ""))
    if mode == "POLY1305":
        return "-".join([*parts, mode])
    return "-".join([*parts, *(["GCM"] if mode == "GCM" else []), digest])
