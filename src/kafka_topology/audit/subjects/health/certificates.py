"""Checks when the certificates expire that brokers show to clients."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import duration_text

from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found
from ...observing.snapshot import Observation, alike
from ...subject import Subject, number_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....cluster.connecting.settings import ClientSettings
    from ....cluster.live.certificates import Certificate
    from ....cluster.outcomes import Outcome
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...check import About
    from ...observing.snapshot import Snapshot, Survey
    from ...subject import Options

EXPIRES: Final = Check(
    "KTA561", "certificate-expires", Severity.WARNING,
    "The certificate of a broker expires soon. It is an error if it has expired, or is not valid yet.",
    "From that moment on, clients and other brokers that verify certificates refuse the broker, and running clients "
    "fail at their next connection. The audit sees the listener that it uses itself, and only if that uses TLS; it "
    "does not see the certificates of the authorities behind it.",
    "Renew the certificate in the key store of the broker. Kafka reads a changed key store without a restart if you "
    "set `ssl.keystore.location` again with `kafka-configs`.",
    ("R33",),
    (("days", 30, "how many days a certificate must still be valid"),),
)  # fmt: skip

_BRIEF: Final = 3.0  # seconds for all addresses of a cluster that nobody reaches


@dataclass(frozen=True, slots=True)
class Certificates:
    """What the brokers show, by address; nothing if the audit does not use TLS. `brokers` is who has the address."""

    seen_at: datetime
    by_address: Mapping[str, Outcome[Certificate]] = field(default_factory=dict)
    brokers: Mapping[str, int] = field(default_factory=dict)
    unread: Failure | None = None


def _take(survey: Survey) -> Certificates:
    health = survey.cluster.health
    if not health.uses_tls:
        return Certificates(datetime.now(UTC))
    addresses = survey.patient.one(health.addresses)
    if isinstance(addresses, Failure):
        return Certificates(datetime.now(UTC), unread=addresses)
    return Certificates(datetime.now(UTC), survey.patient.each(addresses, health.certificates), addresses)


def _unread(topology: Topology, seen: Certificates) -> Iterator[str]:
    del topology
    yield from alike("brokers", seen.by_address, "the certificates of")
    if seen.unread is not None:
        yield seen.unread.message


CERTIFICATES: Final = Observation("certificates", _take, _unread)


def certificate_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    yield from _findings(topology, live.of(CERTIFICATES), options)


def findings_of_unreachable(topology: Topology, client: ClientSettings, options: Options) -> Iterator[Finding]:
    """Certificates that have expired are why no broker can be reached, and no client says so."""
    from ....cluster.health.certificates import read_certificates, uses_tls  # noqa: PLC0415 - loads kafka-python

    if SUBJECT.is_off(topology) or not uses_tls(client):
        return
    brief = replace(client, silence=min(client.request_timeout, _BRIEF))
    seen = Certificates(datetime.now(UTC), read_certificates(brief, client.servers.split(",")))
    yield from (each for each in _findings(topology, seen, options) if each.severity is Severity.ERROR)


def _findings(topology: Topology, seen: Certificates, options: Options) -> Iterator[Finding]:
    days = number_option(options, EXPIRES, "days")
    about = about_cluster(topology)
    for address, certificate in sorted(seen.by_address.items()):
        if not isinstance(certificate, Failure):
            broker = seen.brokers.get(address)
            who = f"broker {broker} ({address})" if broker is not None else address
            yield from _judged(about, who, certificate, seen.seen_at, days)


def _judged(about: About, who: str, certificate: Certificate, now: datetime, days: float) -> Iterator[Finding]:
    left, until = certificate.valid_until - now, f"{certificate.valid_until:%Y-%m-%d %H:%M} UTC"
    severity: Severity | None = Severity.ERROR
    if left <= timedelta():
        said = f"expired {duration_text(-left)} ago, on {until}"
    elif certificate.valid_from > now:
        said = f"is not valid before {certificate.valid_from:%Y-%m-%d %H:%M} UTC"
    elif certificate.refused is not None:
        said = f"is refused by clients: {certificate.refused}, which may be that of an authority behind it"
    elif left < timedelta(days=days):
        said, severity = f"expires in {duration_text(left)}, on {until}", None
    else:
        return
    yield found(
        EXPIRES,
        about,
        about.declared,
        f"{who}: its certificate {said}; expected one that is valid for at least {days:g} days",
        "renew the certificate of the broker",
        severity=severity,
        expected=days,
        actual=round(left / timedelta(days=1), 2),
        address=certificate.address,
        validUntil=certificate.valid_until.isoformat(),
    )


SUBJECT: Final = Subject(
    order=77,
    words=("cluster",),
    compares={"certificates": "those of the listener that the audit uses: expired, refused, or about to expire"},
    reads=(CERTIFICATES,),
    checks=(EXPIRES,),
    compare=certificate_findings,
    is_health=True,
)
