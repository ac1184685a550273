"""Logins by token: a signed one for Amazon MSK, one from an OAuth server, or an unsigned one for tests.

librdkafka fetches OAuth tokens itself. The second client does not, so this module gets them.
"""

from __future__ import annotations

import base64
import json
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from ..outcomes import ClusterUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .settings import ClientSettings

_LIFETIME: Final = 3600


def librdkafka_login(settings: ClientSettings) -> dict[str, Any]:
    """The login options of librdkafka that are not text: for MSK, a function that signs."""
    if settings.msk_region is None:
        return {}
    sign = msk_signer(settings.msk_region)

    def login(_: str) -> tuple[str, float]:
        token, expires_ms = sign()
        return token, expires_ms / 1000

    return {"oauth_cb": login}


def token_source(settings: ClientSettings) -> Callable[[], str] | None:
    """A function that gets tokens as librdkafka would with these settings; None if it would use none."""
    if settings.msk_region is not None:
        sign = msk_signer(settings.msk_region)
        return lambda: sign()[0]
    client = settings.client
    if client.get("sasl.oauthbearer.token.endpoint.url"):
        return lambda: _from_server(client, settings.request_timeout)
    if client.get("enable.sasl.oauthbearer.unsecure.jwt") == "true":
        return lambda: _unsigned(client.get("sasl.oauthbearer.config", ""))
    return None


def msk_signer(region: str) -> Callable[[], tuple[str, float]]:
    """A function that returns a token and its expiry. The signer is an extra, because it installs AWS's libraries."""
    try:
        from aws_msk_iam_sasl_signer import MSKAuthTokenProvider  # noqa: PLC0415
    except ImportError as error:
        raise ClusterUnreachableError(
            "The mechanism AWS_MSK_IAM needs a signer that is not installed: pip install 'kafka-topology[msk]'."
        ) from error

    def sign() -> tuple[str, float]:
        token, expires_ms = MSKAuthTokenProvider.generate_auth_token(region)
        return str(token), float(expires_ms)

    return sign


def _from_server(client: Mapping[str, str], timeout: float) -> str:
    identity = f"{client.get('sasl.oauthbearer.client.id', '')}:{client.get('sasl.oauthbearer.client.secret', '')}"
    form = {"grant_type": "client_credentials"}
    if client.get("sasl.oauthbearer.scope"):
        form["scope"] = client["sasl.oauthbearer.scope"]
    url = client["sasl.oauthbearer.token.endpoint.url"]
    if not url.startswith(("https://", "http://")):
        raise ClusterUnreachableError(f"'{url}' is no address of a token server: it must begin with https://.")
    request = Request(  # noqa: S310 - looked at above
        url,
        urlencode(form).encode(),
        {
            "Authorization": f"Basic {base64.b64encode(identity.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        },
    )
    with urlopen(request, timeout=timeout) as answer:  # noqa: S310
        return str(json.load(answer)["access_token"])


def _unsigned(config: str) -> str:
    named = dict(part.split("=", 1) for part in config.split() if "=" in part)
    now = int(time.time())
    claims = {"sub": named.get("principal", ""), "iat": now, "exp": now + _LIFETIME}
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def _part(content: Mapping[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
