"""The certificates of a secured cluster: where they are, and how they get there."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .private import write_private


@dataclass(frozen=True)
class Certificates:
    """Where they are. PEM is for librdkafka and the brokers, PKCS12 for Java clients."""

    folder: Path

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def broker(self) -> Path:
        return self.folder / "broker.pem"

    @property
    def client(self) -> Path:
        return self.folder / "client.pem"

    @property
    def client_key(self) -> Path:
        return self.folder / "client.key"

    @property
    def keystore(self) -> Path:
        return self.folder / "client.p12"

    @property
    def truststore(self) -> Path:
        return self.folder / "truststore.p12"

    @property
    def all(self) -> tuple[Path, ...]:
        return (self.ca, self.broker, self.client, self.client_key, self.keystore, self.truststore)


def make_certificates(folder: Path, keystore_password: str) -> None:
    """All of them or none: the folder appears as a whole. The authority's own key is not kept."""
    from . import issuing  # noqa: PLC0415 - needs the extra `local`, and only for a new cluster

    remove_unfinished(folder)
    ca = issuing.authority()
    broker, client = issuing.broker(ca), issuing.client(ca)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        made = Certificates(Path(temporary) / "made")
        made.folder.mkdir(mode=0o700)
        write_private(made.ca, issuing.pem(ca))
        write_private(made.broker, issuing.pem_key(broker) + issuing.pem(broker, ca))
        write_private(made.client, issuing.pem(client, ca))
        write_private(made.client_key, issuing.pem_key(client))
        write_private(made.keystore, issuing.keystore(client, ca, keystore_password))
        write_private(made.truststore, issuing.truststore(ca, keystore_password))
        shutil.rmtree(folder, ignore_errors=True)
        made.folder.rename(folder)


def remove_unfinished(folder: Path) -> None:
    """What a process that was killed left behind: keys are in it."""
    for left_behind in folder.parent.glob(f".{folder.name}-*"):
        shutil.rmtree(left_behind, ignore_errors=True)
