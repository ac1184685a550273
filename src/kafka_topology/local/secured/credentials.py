"""The passwords of a secured cluster: made once, kept in one private file."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import LocalClusterError
from .private import write_private

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ADMIN = "admin"
APP = "app"


@dataclass(frozen=True)
class Credentials:
    """One password for each user, by all mechanisms, and one for the PKCS12 files. None is in the repr."""

    passwords: Mapping[str, str] = field(repr=False)
    keystore_password: str = field(repr=False)


def new_credentials() -> Credentials:
    return Credentials({user: secrets.token_urlsafe(24) for user in (ADMIN, APP)}, secrets.token_urlsafe(24))


def save_credentials(path: Path, credentials: Credentials) -> None:
    raw = {"users": dict(credentials.passwords), "keystorePassword": credentials.keystore_password}
    write_private(path, json.dumps(raw, indent=2) + "\n")


def load_credentials(path: Path) -> Credentials:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        users = {user: _text(raw["users"][user]) for user in (ADMIN, APP)}
        return Credentials(users, _text(raw["keystorePassword"]))
    except OSError as error:
        raise LocalClusterError(
            f"{path} cannot be read: {error.strerror}.",
            "If it is lost: stop the cluster and start it again, and its users get new passwords.",
        ) from error
    except (ValueError, TypeError, KeyError):
        # Do not quote it: it may hold a password.
        raise LocalClusterError(
            f"{path} is not what kafka-topology wrote.",
            "Delete it, stop the cluster and start it again: its users get new passwords.",
        ) from None


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value
