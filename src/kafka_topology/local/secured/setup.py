"""What a secured cluster does more than a plain one: secrets before its start, users after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import SettingsError
from ..properties import bootstrap_servers
from ..readiness import wait_logins
from ..state import PLAIN
from .certificates import make_certificates
from .credentials import APP, load_credentials, new_credentials, save_credentials
from .listeners import Login, java_settings, librdkafka_settings, security_properties
from .users import make_users

if TYPE_CHECKING:
    from ..layout import Layout
    from ..readiness import Patience
    from ..state import State
    from .listeners import Listener, Mechanism


def without_lost_users(layout: Layout, state: State) -> State:
    """When the passwords are lost, the users are made again with new ones."""
    return state if layout.credentials.exists() else replace(state, has_users=False)


def prepare_secrets(layout: Layout) -> dict[str, str]:
    """Create missing passwords and certificates, and return the brokers' settings for them."""
    if not layout.credentials.exists():
        layout.certificates.keystore.unlink(missing_ok=True)  # the password of an earlier one is lost
        save_credentials(layout.credentials, new_credentials())
    credentials = load_credentials(layout.credentials)
    if not all(path.exists() for path in layout.certificates.all):
        make_certificates(layout.certificates.folder, credentials.keystore_password)
    return security_properties(credentials, layout.certificates)


def let_users_in(layout: Layout, state: State, patience: Patience) -> State:
    """Make the users of a new cluster, and wait until every listener of every broker lets one in.

    Only new users are tried by SCRAM: later somebody may have given them other passwords in the
    cluster. Those of PLAIN are in the brokers' files.
    """
    credentials = load_credentials(layout.credentials)
    mechanisms: dict[Listener, Mechanism] = {"SASL_PLAINTEXT": "PLAIN", "SASL_SSL": "PLAIN", "SSL": "PLAIN"}
    if not state.has_users:
        make_users(state, credentials, patience)
        state = replace(state, has_users=True)
        mechanisms |= {"SASL_PLAINTEXT": "SCRAM-SHA-256", "SASL_SSL": "SCRAM-SHA-512"}
    logins: dict[str, dict[str, str]] = {
        listener: librdkafka_settings(Login(listener, APP, mechanism, credentials, layout.certificates))
        for listener, mechanism in mechanisms.items()
    }
    wait_logins(state, logins, patience)
    return state


def client_settings(
    layout: Layout, state: State, listener: Listener, user: str, mechanism: Mechanism, *, java: bool
) -> dict[str, str]:
    known = state.nodes[0].listeners
    if listener not in known:
        raise SettingsError(
            f"The cluster in {layout.data} has no listener {listener}, only {', '.join(known)}.",
            "A new cluster with --secure has all of them.",
        )
    addresses = {"bootstrap.servers": bootstrap_servers(state, listener)}
    if listener == PLAIN:
        return addresses
    build = java_settings if java else librdkafka_settings
    credentials = load_credentials(layout.credentials)
    return addresses | build(Login(listener, user, mechanism, credentials, layout.certificates))
