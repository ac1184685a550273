"""Downloads the release of the Pulumi CLI by the installer of Pulumi's own SDK, and fails soon where it cannot be had.

usage: pulumi_release.py FOLDER VERSION
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import NoReturn

from pulumi.automation import PulumiCommand
from semver import VersionInfo

PATIENCE_S = 5  # for an answer
LONGEST_S = 300  # for the whole download


def main(folder: str, version: str) -> int:
    socket.setdefaulttimeout(PATIENCE_S)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST_S)
    wanted = VersionInfo.parse(version)
    try:
        found = PulumiCommand.install(root=folder, version=wanted).version
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        print(f"the release cannot be had: {reason}")
        return 1
    if found != wanted:
        print(f"the release has the version {found}; expected {version}")
        return 1
    return 0


def _too_long(*_: object) -> NoReturn:
    raise TimeoutError(f"it took more than {LONGEST_S // 60} minutes")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
