"""How both clients log in with the same settings."""

from __future__ import annotations

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import ModuleType
from urllib.parse import parse_qs

import pytest

from kafka_topology.cluster.connecting.second_client import client_options
from kafka_topology.cluster.connecting.tokens import librdkafka_login, token_source
from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.provider.config.keys import missing_keys, resolve

MSK = {"bootstrapServers": "b:1", "saslMechanism": "AWS_MSK_IAM", "awsRegion": "eu-west-1"}


def settings(environment=None, **inputs):
    resolved = resolve({"bootstrapServers": "b:1,c:2", **inputs}, environment or {})
    assert resolved is not None
    return resolved


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_from_the_environment(mechanism):
    environment = {
        "KAFKA_SASL_MECHANISM": mechanism,
        "KAFKA_SASL_USERNAME": "shop",
        "KAFKA_SASL_PASSWORD": "hunter2",
        "KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
    }
    resolved = settings(environment)
    assert resolved.redact("it is hunter2") == "it is [secret]"
    options = client_options(resolved)
    assert options["bootstrap_servers"] == ["b:1", "c:2"]
    assert options["security_protocol"] == "SASL_PLAINTEXT"
    assert (options["sasl_mechanism"], options["sasl_plain_username"]) == (mechanism, "shop")
    assert options["sasl_plain_password"] == "hunter2"


def test_msk_needs_a_region():
    without_region = {key: value for key, value in MSK.items() if key != "awsRegion"}
    assert [key.name for key in missing_keys(without_region, {})] == ["awsRegion"]
    assert missing_keys(without_region, {"AWS_REGION": "eu-west-1"}) == ()


def test_msk_without_its_signer_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", None)
    with pytest.raises(ClusterUnreachableError, match=r"pip install 'kafka-topology\[msk\]'"):
        librdkafka_login(settings(**MSK))


def test_msk_tokens_are_signed_for_both_clients(monkeypatch):
    class MSKAuthTokenProvider:
        @staticmethod
        def generate_auth_token(region):
            return f"signed-for-{region}", 5000

    signer = ModuleType("aws_msk_iam_sasl_signer")
    signer.MSKAuthTokenProvider = MSKAuthTokenProvider
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", signer)
    resolved = settings(**MSK)
    assert resolved.client["sasl.mechanism"] == "OAUTHBEARER"
    assert resolved.client["security.protocol"] == "SASL_SSL"
    assert librdkafka_login(resolved)["oauth_cb"]("") == ("signed-for-eu-west-1", 5.0)
    assert client_options(resolved)["sasl_oauth_token_provider"].token() == "signed-for-eu-west-1"


class TokenServer(BaseHTTPRequestHandler):
    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        login = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode()
        body = json.dumps({"access_token": f"{login}/{form['grant_type'][0]}/{form['scope'][0]}"}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_token_from_an_oauth_server():
    server = HTTPServer(("127.0.0.1", 0), TokenServer)
    threading.Thread(target=server.handle_request, daemon=True).start()
    resolved = settings(
        saslMechanism="OAUTHBEARER",
        oauthTokenUrl=f"http://127.0.0.1:{server.server_port}/token",
        oauthClientId="shop",
        oauthClientSecret="hunter2",
        oauthScope="kafka",
    )
    assert resolved.client["sasl.oauthbearer.method"] == "oidc"
    assert "hunter2" in resolved.secrets
    source = token_source(resolved)
    assert source is not None
    assert source() == "shop:hunter2/client_credentials/kafka"
    server.server_close()


def test_a_login_that_the_second_client_does_not_know_is_refused():
    with pytest.raises(ValueError, match="cannot log in by 'GSSAPI'"):
        client_options(settings(saslMechanism="GSSAPI", securityProtocol="SASL_PLAINTEXT"))
