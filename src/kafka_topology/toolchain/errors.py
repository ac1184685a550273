"""An error that a user can mend: what is wrong, and what to do about it."""

from __future__ import annotations


class RemedyError(Exception):
    """Shown without a traceback; `exit_code` is what the command line ends with."""

    exit_code = 3

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message


class ToolchainError(RemedyError):
    """Java, Maven or a set of jars is missing."""
