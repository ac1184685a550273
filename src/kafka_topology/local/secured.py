"""What a secured cluster does more than a plain one: secrets before its start, users after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .certificates import make_certificates
from .credentials import APP, load_credentials, new_credentials, save_credentials
from .errors import SettingsError
from .properties import bootstrap_servers
from .readiness import wait_logins
from .security import java_settings, librdkafka_settings, security_properties
from .state import PLAIN
from .users import make_users

if TYPE_CHECKING:
    from .layout import Layout
    from .readiness import Patience
    from .security import Listener, Mechanism
    from .state import State


def prepare_secrets(layout: Layout, state: State) -> State:
    """Passwords and certificates are made once. Lost ones are made anew, and the users again with them."""
    if not layout.credentials.exists():
        save_credentials(layout.credentials, new_credentials())
        state = replace(state, has_users=False)
        layout.certificates.keystore.unlink(missing_ok=True)  # its password is lost
    if not all(path.exists() for path in layout.certificates.all):
        make_certificates(layout.certificates.folder, load_credentials(layout.credentials).keystore_password)
    return state


def broker_security(layout: Layout) -> dict[str, str]:
    return security_properties(load_credentials(layout.credentials), layout.certificates)


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
        listener: librdkafka_settings(listener, APP, mechanism, credentials, layout.certificates)
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
    return addresses | build(listener, user, mechanism, credentials, layout.certificates)
