"""No command prints a secret that somebody wrote into a topology by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.topology import load

USER = "version: 1\nusers:\n  u:\n    mechanism: SCRAM-SHA-512\n"
FORMATS = ("text", "github", "gitlab", "json", "junit", "markdown", "sarif")
MISTAKES = {
    "plain": "version: 1\nusers: {u: {mechanism: SCRAM-SHA-512, password: hunter2}}\n",
    "misspelt": USER + "    pasword: hunter2\n",
    "another-name": USER + "    pw: hunter2\n",
    "beside-the-secret": USER + "    password: {secret: p, value: hunter2}\n",
    "as-a-name": USER + "    password: {hunter2}\n",
    "as-a-list": USER + "    password: [hunter2]\n",
    "as-a-tag": USER + "    password: !hunter2 x\n",
    "block": USER + "    password: |\n      hunter2\n",
    "number": USER.replace("SHA-512", "SHA-999") + "    password: {secret: 31hunter2}\n",
    "for-the-user": "version: 1\nusers: {u: hunter2}\n",
    "for-all-users": "version: 1\nusers: hunter2\n",
    "misspelt-section": "version: 1\nuser: {u: {mechanism: SCRAM-SHA-512, pw: hunter2}}\n",
    "environment": "version: 1\nenvironments: {dev: {users: {u: {mechanism: SCRAM-SHA-512, password: hunter2}}}}\n",
    "alias": "version: 1\npatterns: {a: &p hunter2, b: 1}\nusers: {u: {mechanism: SCRAM-SHA-512, password: *p}}\n",
    "setting": "version: 1\nproducers: {p: {topics: [], config: {ssl.key.password: hunter2, acks: no}}}\n",
    "setting-list": "version: 1\nproducers: {p: {topics: [], config: {sasl.password: [hunter2, {a: b}]}}}\n",
    "misspelt-setting": "version: 1\nproducers: {p: {topics: [], config: {ssl.key.pasword: hunter2}}}\n",
    "camel-case": "version: 1\nrules: {KT101: {apiKey: hunter2, severity: fatal}}\n",
    "url": "version: 1\nproducers: {p: {topics: [], config: {schema.registry.url: 'https://me:hunter2@x'}}}\n",
    "jaas": "version: 1\nproducers: {p: {topics: [], config: {x: 'L required password=\"hunter2\";'}}}\n",
    "bad-yaml-flow": "version: 1\nusers: {u: {mechanism: SCRAM-SHA-512, password: @hunter2}}\n",
    "bad-yaml-block": USER + "    password: @hunter2\n",
    "bad-yaml-other-name": USER + "    pw: @hunter2\n",
    "bad-yaml-quote": USER + '    password: "hunter2\n',
    "bad-yaml-colon": USER + "    password: hunter2: x\n",
    "bad-yaml-alias": USER + "    password: *hunter2\n",
    "bad-yaml-indent": USER + "    password: |\n      x\n     hunter2\n",
    "bad-yaml-flow-line": "version: 1\nusers:\n  u: {\n    mechanism: SCRAM-SHA-512, pw: @hunter2}\n",
    "bad-yaml-setting": "version: 1\nproducers: {p: {config: {sasl.password: @hunter2}}}\n",
}


@pytest.mark.parametrize("text", MISTAKES.values(), ids=MISTAKES)
def test_a_secret_in_a_mistake_is_in_no_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(text)
    outputs = ",".join(f"{name}=out.{name}" for name in FORMATS)
    assert CliRunner().invoke(main, ["validate", "t.yaml", "--format", outputs]).exit_code == 2
    for name in FORMATS:
        assert "hunter2" not in (tmp_path / f"out.{name}").read_text(), name
    shown = CliRunner().invoke(main, ["show", "t.yaml"])
    assert shown.exit_code == 2
    assert "hunter2" not in shown.output


def test_the_fix_for_a_plain_password_and_the_caret(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(MISTAKES["plain"])
    loaded = load(tmp_path / "t.yaml")
    (finding,) = loaded.problems
    assert finding.message == "expected a mapping, found a text"
    assert finding.fix == "store it with `pulumi config set --secret NAME` and write `password: {secret: NAME}`"
    line = loaded.line(finding.location)
    assert line == "users: {u: {mechanism: SCRAM-SHA-512, password: *******}}"
    assert line[finding.location.column - 1 : finding.location.end_column - 1] == "*******"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (USER.replace("512", "999") + "    password: {secret: p}\n", "    mechanism: SCRAM-SHA-999"),
        ("version: 1\ntopics: {users: {partitions: x}, a.token: {partitions: y}}\n", None),
        ('version: 1\nproducers: {p: {topics: [], config: {sasl.password: "${env:P}"}}}\n', None),
    ],
)
def test_what_is_no_secret_is_shown(tmp_path: Path, text: str, line: str | None) -> None:
    (tmp_path / "t.yaml").write_text(text)
    loaded = load(tmp_path / "t.yaml")
    assert {loaded.line(finding.location) for finding in loaded.problems} == {line or text.splitlines()[1]}


def test_an_expression_rule_does_not_show_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(
        "version: 1\ntopics: {a: {partitions: 1, replication: 1}}\n"
        "producers: {p: {topics: [a], config: {ssl.key.password: hunter2}}}\n"
        "rules: {ACME1: {for: producers, expect: \"producer.config['ssl.key.password'] == 'x'\"}}\n"
    )
    result = CliRunner().invoke(main, ["validate", "t.yaml", "--rule", "ACME1"])
    assert "ACME1" in result.output
    assert "may be a secret" in result.output
    assert "hunter2" not in result.output
