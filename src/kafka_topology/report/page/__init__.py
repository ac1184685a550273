"""One self-contained HTML page of a topology, or of a change of one."""

from .live.audits import AuditFile, BadAuditFile, parse_audit
from .live.checks import BadCheckFile, CheckFile, parse_checks
from .page import render
from .subject import Subject

__all__ = [
    "AuditFile",
    "BadAuditFile",
    "BadCheckFile",
    "CheckFile",
    "Subject",
    "parse_audit",
    "parse_checks",
    "render",
]
