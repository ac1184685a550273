"""An error that a user can fix: what is wrong, and what to do about it."""

from __future__ import annotations


class FixableError(Exception):
    """Shown without a traceback; `exit_code` is what the command line ends with."""

    exit_code = 3

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}\n{self.fix}" if self.fix else self.message


class ToolchainError(FixableError):
    """Java, Maven or a set of jars is missing."""
