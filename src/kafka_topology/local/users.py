"""The SCRAM users of a secured cluster, made through its plain listener once it runs.

Kafka's storage tool could make them too, but wants their passwords on its command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .admin import REQUEST_SECONDS, quiet_admin
from .properties import bootstrap_servers

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

    from .credentials import Credentials
    from .readiness import Patience
    from .state import State

_ITERATIONS = 4096  # the least that Kafka takes; passwords are random


def make_users(state: State, credentials: Credentials, patience: Patience) -> None:
    admin = quiet_admin(bootstrap_servers(state))
    # One request for each: Kafka refuses two changes of a user in one.
    for mechanism in ("SCRAM_SHA_256", "SCRAM_SHA_512"):
        patience.until("the users to be made", _make, admin, mechanism, credentials)


def _make(admin: AdminClient, mechanism: str, credentials: Credentials) -> bool:
    from confluent_kafka.admin import (  # type: ignore[attr-defined] # noqa: PLC0415 - only a start needs it
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialAlteration,
        UserScramCredentialUpsertion,
    )

    info = ScramCredentialInfo(ScramMechanism[mechanism], _ITERATIONS)
    wanted: list[UserScramCredentialAlteration] = [
        UserScramCredentialUpsertion(user, info, password.encode()) for user, password in credentials.passwords.items()
    ]
    for answer in admin.alter_user_scram_credentials(wanted, request_timeout=REQUEST_SECONDS).values():
        answer.result()
    return True
