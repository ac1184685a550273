"""Reads librdkafka's settings from the library that confluent-kafka brings: names, ranges and defaults, no prose.

python tools/librdkafka.py [--check]
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import confluent_kafka

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src/kafka_topology/topology/kafka/clients/libraries/librdkafka.json"
_ROW = re.compile(r"^(\S+) +\| +([*PC]) +\| (.*?) *\| +(.*?) *\| \w+ +\| (.*)$", re.MULTILINE)
_RANGE = re.compile(r"(-?[0-9]+) \.\. (-?[0-9]+)")
# What a program hands over in code: a configuration cannot hold it.
_IN_CODE = ("pointer", "see dedicated API")


def shown() -> tuple[str, str]:
    """The library's own list as a Markdown table, and its version."""
    folder = Path(confluent_kafka.__file__).parent.with_name("confluent_kafka.libs")
    library = ctypes.CDLL(str(next(folder.glob("librdkafka-*.so*"))))
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
        library.rd_kafka_conf_properties_show(stream)
        libc.fclose(stream)
        text = file.read()
    library.rd_kafka_version_str.restype = ctypes.c_char_p
    return text, library.rd_kafka_version_str().decode()


def settings(text: str) -> dict[str, dict[str, Any]]:
    """By name: for whom, type, range or choices, default. The global list comes first and wins."""
    found: dict[str, dict[str, Any]] = {}
    for name, side, values, default, described in _ROW.findall(text):
        type_ = re.search(r"\*Type: (.*?)\*", described)
        if name in found or type_ is None or type_[1] in _IN_CODE:
            continue
        row: dict[str, Any] = {"for": side, "type": type_[1]}
        number = _RANGE.fullmatch(values)
        if number is not None:
            row |= {"min": int(number[1]), "max": int(number[2])}
        elif values and type_[1] == "enum value":
            row["choices"] = values.split(", ")
        if default and name != "builtin.features":
            row["default"] = default
        found[name] = row
    return found


def document() -> str:
    text, version = shown()
    return json.dumps({"version": version, "settings": settings(text)}, indent=1) + "\n"


def main(arguments: list[str]) -> str | int:
    wanted = document()
    if "--check" not in arguments:
        FILE.write_text(wanted, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != wanted:
        return f"{FILE.relative_to(ROOT)} is out of date: run make generate"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
