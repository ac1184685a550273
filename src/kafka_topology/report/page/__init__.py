"""One self-contained HTML page of a topology: graph, findings, access and record checks."""

from .checks import BadCheckFile, CheckFile, parse_checks
from .page import render
from .subject import Subject

__all__ = ["BadCheckFile", "CheckFile", "Subject", "parse_checks", "render"]
