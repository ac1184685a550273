"""The certificates of a secured cluster, by Java's keytool: an authority, the brokers', one client's."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kafka_topology.toolchain import find_java

from .credentials import APP
from .errors import LocalClusterError
from .jks import KeyEntry, pem, read_keys
from .jvm import java_environment
from .private import MODE, write_private
from .properties import HOST

_TIMEOUT = 60.0
_DAYS = "3650"
_FLAGS = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Duser.language=en")
_NEW_KEY = ("-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-validity", _DAYS, "-startdate", "-1d")


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
    remove_unfinished(folder)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        work = Path(temporary)
        made = Certificates(work / "made")
        made.folder.mkdir(mode=0o700)
        keys = _make_keys(work)
        key = {name: pem("PRIVATE KEY", entry.key) for name, entry in keys.items()}
        chain = {name: "".join(pem("CERTIFICATE", one) for one in entry.chain) for name, entry in keys.items()}
        write_private(made.ca, chain["ca"])
        write_private(made.broker, key["broker"] + chain["broker"])
        write_private(made.client, chain["client"])
        write_private(made.client_key, key["client"])
        _make_pkcs12(work, made, keystore_password)
        shutil.rmtree(folder, ignore_errors=True)
        made.folder.rename(folder)


def remove_unfinished(folder: Path) -> None:
    """What a process that was killed left behind: keys are in it."""
    for left_behind in folder.parent.glob(f".{folder.name}-*"):
        shutil.rmtree(left_behind, ignore_errors=True)


def _make_keys(work: Path) -> dict[str, KeyEntry]:
    password = secrets.token_urlsafe(24)
    write_private(work / "password", password)
    store = work / "all.jks"
    passwords = ("-storepass:file", "password", "-keypass:file", "password")
    in_store = ("-storetype", "JKS", "-keystore", store.name, *passwords)
    by_ca = ("-signer", "ca", "-signerkeypass:file", "password")
    authority = ("-ext", "bc:c=ca:true,pathlen:0", "-ext", "ku:c=keyCertSign,cRLSign")
    names = ("-ext", f"san=dns:localhost,ip:{HOST}", "-ext", "eku=serverAuth")
    _keytool(work, *_NEW_KEY, "-alias", "ca", "-dname", "CN=kafka-topology local CA", *authority, *in_store)
    _keytool(work, *_NEW_KEY, "-alias", "broker", "-dname", "CN=localhost", *names, *by_ca, *in_store)
    _keytool(work, *_NEW_KEY, "-alias", "client", "-dname", f"CN={APP}", "-ext", "eku=clientAuth", *by_ca, *in_store)
    try:
        return read_keys(store.read_bytes(), password)
    except ValueError as error:
        raise LocalClusterError(f"What keytool wrote cannot be read: {error}.") from error


def _make_pkcs12(work: Path, made: Certificates, password: str) -> None:
    write_private(work / "password-p12", password)
    source = ("-srckeystore", "all.jks", "-srcstorepass:file", "password", "-srcalias", "client")
    target = ("-destkeystore", str(made.keystore), "-deststoretype", "PKCS12", "-deststorepass:file", "password-p12")
    _keytool(work, "-importkeystore", "-noprompt", *source, *target)
    trusted = ("-storetype", "PKCS12", "-keystore", str(made.truststore), "-storepass:file", "password-p12")
    _keytool(work, "-importcert", "-noprompt", "-alias", "ca", "-file", str(made.ca), *trusted)
    for path in (made.keystore, made.truststore):
        path.chmod(MODE)


def _keytool(work: Path, *arguments: str) -> None:
    """Passwords go in by files: a command line can be read by everybody on the machine."""
    try:
        run = subprocess.run(
            [_find_keytool(), *arguments, *_FLAGS],
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
            env=java_environment(),
        )
    except subprocess.TimeoutExpired:
        raise LocalClusterError(
            f"keytool took longer than {_TIMEOUT:.0f} s.", "The machine may be overloaded; try again."
        ) from None
    if run.returncode != 0:
        end = "\n".join(f"  {line}" for line in run.stdout.strip().splitlines()[-8:])
        raise LocalClusterError(f"keytool could not make the certificates:\n{end}", f"Is there room in {work.parent}?")


def _find_keytool() -> str:
    java = Path(find_java())
    for folder in (java.resolve().parent, java.parent):
        if found := shutil.which("keytool", path=str(folder)):
            return found
    raise LocalClusterError(
        f"keytool was not found beside {java}; it makes the certificates.",
        "Install a complete Java 17 or newer, or start without --secure.",
    )
