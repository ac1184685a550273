"""What `make bench` promises: every script runs, none speaks for another, and the table shows every goal."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    spec = importlib.util.spec_from_file_location("bench", FOLDER / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench", module)
    spec.loader.exec_module(module)
    return module


def goal(bench, measured, **others):
    return bench.Goal(**{"what": "load / yaml.load", "measured": measured, "limit": 0.6, **others})


def scripts(monkeypatch, bench, tmp_path, **texts):
    """Scripts of these texts, in a folder of their own."""
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    monkeypatch.setattr(bench, "SCRIPTS", {name: bench.Script((), ()) for name in texts})


SAVES = (
    f"import sys\nsys.path.append({str(FOLDER)!r})\nfrom pathlib import Path\nfrom results import Goal, save\n"
    "save(Path(sys.argv[-1]), [Goal('time', MEASURED, 1.0)], [{'row': 1}])\n"
)


def test_every_script_is_run_and_takes_a_file(bench):
    shared = {FOLDER / "__main__.py", FOLDER / "results.py"}
    started = {
        "scale" if file.parent.name == "scale" else file.stem
        for file in FOLDER.rglob("*.py")
        if "add_argument" in file.read_text() and file not in shared
    }
    assert started == set(bench.SCRIPTS)
    for name in started:
        file = FOLDER / f"{name}.py"
        text = (file if file.is_file() else FOLDER / name / "__main__.py").read_text()
        assert "json_option(parser)" in text, name
        assert "save(" in text, name


def test_a_quick_run_is_smaller_than_a_full_one(bench):
    for name, script in bench.SCRIPTS.items():
        assert script.quick, name
        assert script.quick != script.full, name


def test_the_table_says_what_was_measured_and_whether_it_is_met(bench):
    at_least = goal(bench, 4.0, what="faster", limit=5.0, at_least=True)
    table = bench.table({"load": [goal(bench, 0.5), goal(bench, 0.7)], "up": [at_least]}, ["review"])
    assert table.splitlines()[2:] == [
        "| load | load / yaml.load | 0.5 x | at most 0.6 x | yes |",
        "| load | load / yaml.load | 0.7 x | at most 0.6 x | **no** |",
        "| up | faster | 4 x | at least 5 x | **no** |",
        "| review | came to its end | no | yes | **no** |",
    ]


def test_one_that_fails_stops_no_other_and_an_old_file_does_not_speak_for_it(bench, monkeypatch, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "broken.json").write_text(json.dumps({"goals": []}))
    scripts(monkeypatch, bench, tmp_path, broken="raise SystemExit(2)", fine=SAVES.replace("MEASURED", "0.5"))
    assert bench.main(["--folder", str(out)]) == 1
    assert "| broken | came to its end | no |" in (out / "goals.md").read_text()
    written = json.loads((out / "fine.json").read_text())
    assert written["goals"] == [
        {"what": "time", "measured": 0.5, "limit": 1.0, "unit": "x", "at_least": False, "met": True}
    ]
    assert written["rows"] == [{"row": 1}]
    assert written["machine"]["cores"] >= 1
    assert "kafka-topology" in written["versions"]


def test_a_missed_goal_fails_at_full_size_only(bench, monkeypatch, tmp_path):
    scripts(monkeypatch, bench, tmp_path, slow=SAVES.replace("MEASURED", "2.0"))
    assert bench.main(["--folder", str(tmp_path / "out"), "--quick"]) == 0
    assert bench.main(["--folder", str(tmp_path / "out")]) == 1
    assert "| slow | time | 2 x | at most 1 x | **no** |" in (tmp_path / "out" / "goals.md").read_text()
