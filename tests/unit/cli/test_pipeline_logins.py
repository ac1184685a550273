"""The how-to about logins and secrets fits the pipeline that `init` writes."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
import yaml

from kafka_topology.provider.config.keys import KEYS
from kafka_topology.starter import github, gitlab

PAGE = (Path(__file__).parents[3] / "docs" / "pipeline-secrets.md").read_text()
MARKS = {"{topology}": "topology", "{environments}": "", "{stack}": "prod", "{branch}": "main"}
BLOCKS = [
    yaml.safe_load(textwrap.dedent(block)) for block in re.findall(r"^ *```yaml\n(.*?)^ *```", PAGE, re.DOTALL | re.M)
]
WORKFLOWS = [yaml.safe_load(text) for text in github.files(MARKS).values()]
PIPELINE = yaml.safe_load(gitlab.files(MARKS)[".gitlab-ci.yml"])


def bases(job: str) -> set[str]:
    """What a job of GitLab extends, directly or not."""
    extends = PIPELINE[job].get("extends", []) if isinstance(PIPELINE[job], dict) else []
    names = {extends} if isinstance(extends, str) else set(extends)
    return names.union(*(bases(name) for name in names))


def test_on_github_four_jobs_need_the_login_and_the_review_gets_nothing():
    for workflow in WORKFLOWS:
        for name, job in workflow["jobs"].items():
            needs = "STACK" in job.get("env", {})
            assert needs == (name in {"plan", "apply", "verify", "audit"}), name
            assert workflow["permissions"].get("id-token") == ("write" if needs else None), name
            assert job.get("environment") == ("prod" if name == "apply" else None), name
            # A login step fits between the checkout, which comes first, and the step that uses it.
            if needs:
                runs = [index for index, step in enumerate(job["steps"]) if "pipeline.sh" in step.get("run", "")]
                assert job["steps"][0]["uses"].startswith("actions/checkout@"), name
                assert min(runs) > 0, name
                assert {"PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "PULUMI_CONFIG_PASSPHRASE"} <= job["env"].keys()
    assert "secrets." not in github.REVIEW


def test_on_gitlab_one_template_reaches_the_same_jobs_and_not_the_review():
    assert {job for job in PIPELINE if not job.startswith(".") and ".installed" in bases(job)} == {
        "plan",
        "apply",
        "verify",
        "nightly",
    }
    (template,) = (block[".installed"] for block in BLOCKS if ".installed" in block)
    written = PIPELINE[".installed"]["before_script"]
    assert template["before_script"][: len(written)] == written
    # A job with a script of its own before it would not log in.
    assert all("before_script" not in PIPELINE[job] for job in ("plan", "apply", "verify", "nightly", ".deploys"))


def test_steps_of_the_page_are_pinned_and_named_once():
    steps = [step for block in BLOCKS if isinstance(block, list) for step in block]
    assert [step["uses"].partition("@")[2] for step in steps] == ["COMMIT"] * 4
    assert len({step["uses"] for step in steps}) == 4


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\bKAFKA_[A-Z_]+", PAGE))))
def test_a_variable_of_kafka_is_one_that_the_provider_reads(name):
    assert name in {key.environment for key in KEYS}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"kafka-topology:(\w+)|`(\w+(?:Secret|Key))`", PAGE))))
def test_a_secret_key_of_the_page_is_one_of_the_provider(name):
    assert "".join(name) in {key.name for key in KEYS if key.secret}
