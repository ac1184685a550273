"""The parts of a secured local cluster that need neither a broker nor Java."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12

from kafka_topology.cli.main import main
from kafka_topology.local import LocalCluster, LocalClusterError, SettingsError
from kafka_topology.local import state as states
from kafka_topology.local.layout import Layout
from kafka_topology.local.properties import bootstrap_servers, server_properties
from kafka_topology.local.secured import setup as secured
from kafka_topology.local.secured.certificates import Certificates, make_certificates
from kafka_topology.local.secured.credentials import Credentials, load_credentials, new_credentials, save_credentials
from kafka_topology.local.secured.listeners import Login, java_settings, librdkafka_settings, security_properties
from kafka_topology.local.secured.private import write_private
from kafka_topology.local.settings import Settings, fit, new_state
from kafka_topology.local.state import Node, State

PORTS = {"SASL_PLAINTEXT": 20002, "SASL_SSL": 20003, "SSL": 20004}
SECURE = State("4.1.0", "yBTJ13jHR6mxTLIDoMW5ew", "256m", (Node(1, "a", 20001, 21001, secured=PORTS),), formatted=True)
PLAIN = replace(SECURE, nodes=(Node(1, "a", 20001, 21001),))
CREDENTIALS = Credentials({"admin": "sesame", "app": 'o"pen\\'}, "stores")
CERTIFICATES = Certificates(Path("/d/tls"))
ARGUMENTS = (CREDENTIALS, CERTIFICATES)


# brokers


def test_secured_listeners_come_after_the_plain_one_and_on_the_loopback():
    values = server_properties(SECURE, SECURE.nodes[0], Path("/d"))
    clients = (
        "PLAINTEXT://127.0.0.1:20001,SASL_PLAINTEXT://127.0.0.1:20002,SASL_SSL://127.0.0.1:20003,SSL://127.0.0.1:20004"
    )
    assert values["advertised.listeners"] == clients
    assert values["listeners"] == f"{clients},CONTROLLER://127.0.0.1:21001"
    assert values["inter.broker.listener.name"] == "PLAINTEXT"
    assert "SASL_SSL:SASL_SSL" in values["listener.security.protocol.map"].split(",")
    assert bootstrap_servers(SECURE, "SSL") == "127.0.0.1:20004"


def test_a_plain_cluster_has_nothing_secured():
    values = server_properties(PLAIN, PLAIN.nodes[0], Path("/d"))
    assert values["listeners"] == "PLAINTEXT://127.0.0.1:20001,CONTROLLER://127.0.0.1:21001"
    assert not any(name.startswith(("ssl.", "sasl.", "listener.name.")) for name in values)


def test_brokers_know_the_passwords_of_plain_only():
    values = security_properties(*ARGUMENTS)
    holders = {name for name, value in values.items() if "sesame" in value}
    assert holders == {f"listener.name.{name}.plain.sasl.jaas.config" for name in ("sasl_plaintext", "sasl_ssl")}
    assert values["super.users"] == "User:ANONYMOUS;User:admin"
    assert values["listener.name.ssl.ssl.client.auth"] == "required"
    assert "stores" not in "".join(values.values())


def test_passwords_are_quoted_for_jaas():
    login = security_properties(*ARGUMENTS)["listener.name.sasl_ssl.plain.sasl.jaas.config"]
    assert login.endswith(r'user_admin="sesame" user_app="o\"pen\\";')


@pytest.mark.parametrize("name", ["CN=app", "CN=app, O=Acme", "O=Acme,CN=app,C=DE"])
def test_the_principal_of_a_certificate_is_its_common_name(name):
    rule = security_properties(*ARGUMENTS)["ssl.principal.mapping.rules"]
    pattern = rule.removeprefix("RULE:").removesuffix("/$1/,DEFAULT")
    found = re.fullmatch(pattern.strip("^$"), name)
    assert found
    assert found[1] == "app"


# clients


def test_settings_of_a_client_by_password():
    assert librdkafka_settings(Login("SASL_SSL", "admin", "SCRAM-SHA-512", *ARGUMENTS)) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "admin",
        "sasl.password": "sesame",
        "ssl.ca.location": "/d/tls/ca.pem",
    }
    java = java_settings(Login("SASL_SSL", "admin", "SCRAM-SHA-512", *ARGUMENTS))
    assert java["sasl.jaas.config"].endswith('ScramLoginModule required username="admin" password="sesame";')
    assert java["ssl.truststore.location"] == "/d/tls/truststore.p12"
    assert "ssl.keystore.location" not in java


def test_settings_of_a_client_by_token_hold_no_password():
    values = librdkafka_settings(Login("SASL_PLAINTEXT", "anybody", "OAUTHBEARER", *ARGUMENTS))
    assert values["sasl.oauthbearer.config"] == "principal=anybody"
    assert "sasl.password" not in values
    java = java_settings(Login("SASL_PLAINTEXT", "anybody", "OAUTHBEARER", *ARGUMENTS))
    assert 'unsecuredLoginStringClaim_sub="anybody"' in java["sasl.jaas.config"]


def test_settings_of_a_client_by_certificate():
    values = librdkafka_settings(Login("SSL", "app", "PLAIN", *ARGUMENTS))
    assert set(values) == {
        "security.protocol",
        "ssl.ca.location",
        "ssl.certificate.location",
        "ssl.key.location",
    }
    assert java_settings(Login("SSL", "app", "PLAIN", *ARGUMENTS))["ssl.keystore.location"] == "/d/tls/client.p12"
    with pytest.raises(SettingsError, match="no certificate for 'admin'"):
        librdkafka_settings(Login("SSL", "admin", "PLAIN", *ARGUMENTS))


def test_an_unknown_user_has_no_password():
    with pytest.raises(SettingsError, match="no user 'root'") as caught:
        librdkafka_settings(Login("SASL_SSL", "root", "PLAIN", *ARGUMENTS))
    assert "sesame" not in f"{caught.value.message}{caught.value.fix}"


def test_a_listener_that_is_not_there_is_named(tmp_path):
    states.save(tmp_path, PLAIN)
    cluster = LocalCluster(tmp_path)
    with pytest.raises(SettingsError, match="has no listener SASL_SSL, only PLAINTEXT"):
        cluster.client_settings()
    assert cluster.client_settings("PLAINTEXT") == {"bootstrap.servers": "127.0.0.1:20001"}


# settings


def test_all_ports_of_a_new_cluster_are_different():
    state = new_state(Settings(brokers=3, secure=True, port=9092))
    assert state.secure
    ports = [port for node in state.nodes for port in (*node.listeners.values(), node.controller_port)]
    assert len(set(ports)) == len(ports) == 15
    assert [node.port for node in state.nodes] == [9092, 9093, 9094]


def test_a_plain_cluster_does_not_become_secure(tmp_path):
    with pytest.raises(SettingsError, match="without secured listeners, so --secure cannot be added"):
        fit(PLAIN, Settings(secure=True), tmp_path, running=False)
    states.save(tmp_path, PLAIN)
    result = CliRunner().invoke(main, ["local", "start", "--secure", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert f"local stop --data {tmp_path} --delete" in result.output


def test_a_secure_cluster_stays_so_without_being_asked():
    assert fit(SECURE, Settings(), Path("/d"), running=False).secure
    moved = fit(SECURE, Settings(port=0), Path("/d"), running=False)
    assert moved.secure
    assert not set(moved.nodes[0].secured.values()) & {0}


def test_the_state_remembers_all_ports(tmp_path):
    states.save(tmp_path, replace(SECURE, has_users=True))
    assert states.load(tmp_path) == replace(SECURE, has_users=True)


# files


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_private_files_are_private_whatever_was_there(tmp_path):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    umask = os.umask(0)
    try:
        write_private(path, "new")
    finally:
        os.umask(umask)
    assert (path.read_text(), mode(path)) == ("new", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_credentials_survive_a_round_trip_and_are_not_shown(tmp_path):
    path = tmp_path / "credentials.json"
    made = new_credentials()
    save_credentials(path, made)
    assert load_credentials(path) == made
    assert mode(path) == 0o600
    assert len({*made.passwords.values(), made.keystore_password}) == 3
    assert not any(password in repr(made) for password in made.passwords.values())


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"users": {"admin": 1, "app": "x"}}', '{"users": {"admin": "sesame"}}']
)
def test_damaged_credentials_are_named_but_not_shown(tmp_path, text):
    path = tmp_path / "credentials.json"
    path.write_text(text)
    with pytest.raises(LocalClusterError, match=r"credentials\.json") as caught:
        load_credentials(path)
    assert "sesame" not in caught.value.message


def test_lost_credentials_have_a_fix(tmp_path):
    with pytest.raises(LocalClusterError, match="cannot be read") as caught:
        load_credentials(tmp_path / "credentials.json")
    assert "new passwords" in caught.value.fix


def test_secrets_are_created_once_and_lost_ones_again(tmp_path, monkeypatch):
    layout = Layout(tmp_path)
    made = []

    def make(folder, password):
        made.append(password)
        folder.mkdir(exist_ok=True)
        for path in layout.certificates.all:
            path.touch()

    monkeypatch.setattr(secured, "make_certificates", make)
    users = replace(SECURE, has_users=True)
    first = secured.prepare_secrets(layout)
    assert secured.prepare_secrets(layout) == first
    assert secured.without_lost_users(layout, users) == users
    assert len(made) == 1

    layout.credentials.unlink()
    assert not secured.without_lost_users(layout, users).has_users
    assert secured.prepare_secrets(layout) != first
    assert len(set(made)) == 2


def test_deleting_takes_the_secrets_too(tmp_path):
    states.save(tmp_path, SECURE)
    layout = Layout(tmp_path)
    layout.write(SECURE, security_properties(*ARGUMENTS))
    assert mode(layout.properties(SECURE.nodes[0])) == 0o600
    save_credentials(layout.credentials, CREDENTIALS)
    for folder in ("tls", ".tls-unfinished"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "client.key").touch()
    layout.delete(SECURE)
    assert not tmp_path.exists()


def test_certificates_are_signed_by_the_authority_and_private(tmp_path):
    make_certificates(tmp_path / "tls", "stores")
    made = Certificates(tmp_path / "tls")
    assert {path.name for path in made.folder.iterdir()} == {path.name for path in made.all}
    assert {mode(path) for path in made.all} == {0o600}
    assert [path.name for path in tmp_path.iterdir()] == ["tls"]
    (ca,) = x509.load_pem_x509_certificates(made.ca.read_bytes())
    for path, name in ((made.broker, "localhost"), (made.client, "app")):
        leaf, root = x509.load_pem_x509_certificates(path.read_bytes())
        leaf.verify_directly_issued_by(ca)
        assert root == ca
        assert leaf.subject.rfc4514_string() == f"CN={name}"
    assert ca.extensions.get_extension_for_class(x509.BasicConstraints).value.path_length == 0
    for store, names in ((made.keystore, [b"client"]), (made.truststore, [])):
        held = pkcs12.load_pkcs12(store.read_bytes(), b"stores")
        assert ([held.cert.friendly_name] if held.cert else []) == names
        assert ca in [each.certificate for each in held.additional_certs]
    with pytest.raises(ValueError, match="password"):
        pkcs12.load_pkcs12(made.keystore.read_bytes(), b"wrong")


# command line


def test_status_of_many_brokers_fits_a_terminal_and_holds_no_secret(tmp_path):
    state = new_state(Settings(brokers=9, secure=True))
    states.save(tmp_path, state)
    save_credentials(tmp_path / "credentials.json", CREDENTIALS)
    text = CliRunner().invoke(main, ["local", "status", "--data", str(tmp_path)]).output
    assert "SASL_PLAINTEXT  password, token  127.0.0.1:" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("Folder")) <= 80
    raw = CliRunner().invoke(main, ["local", "status", "--data", str(tmp_path), "--format", "json"]).output
    assert "sesame" not in text + raw
    seen = json.loads(raw)
    assert seen["credentials"] == str(tmp_path / "credentials.json")
    assert seen["ca"] == str(tmp_path / "tls" / "ca.pem")
    assert list(seen["listeners"]) == ["PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL", "SSL"]
    assert seen["listeners"]["SSL"] == bootstrap_servers(state, "SSL")
    assert seen["listeners"]["PLAINTEXT"] == seen["bootstrapServers"]
