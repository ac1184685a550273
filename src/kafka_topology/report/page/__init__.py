"""One self-contained HTML page of a topology: graph, findings, audit, access and record checks."""

from .audits import AuditFile, BadAuditFile, parse_audit
from .checks import BadCheckFile, CheckFile, parse_checks
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
