"""The pipeline on GitLab: a review on merge requests, a deployment after a merge, and a look every night."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PIPELINE: Final = """\
# Merge requests are reviewed; this reads files only, without secrets. After a merge: preflight and a saved plan, a
# manual job that approves and applies exactly that plan, then an audit. A schedule (Build, Pipeline schedules) runs the
# nightly job. Keep secrets in masked and protected variables, or fetch them by an ID token (id_tokens).
# PULUMI_BACKEND_URL says where the state is: s3://…, gs://…, azblob://…; with Pulumi Cloud, set PULUMI_ACCESS_TOKEN.
stages: [review, plan, apply, verify]

default:
  image: python:3.12

variables:
  GIT_DEPTH: "0"
  STACK: {stack}
  CHECK: "false"  # true also checks live records; add the extra [spark] to requirements.txt

# In the folder where Pulumi.yaml looks for the provider's plugin.
.installed:
  before_script:
    - python3 -I -m venv --clear .venv
    - .venv/bin/python3 -I -m pip install --quiet --requirement requirements.txt
    - export PATH="$PWD/.venv/bin:$PATH"

# How far the last check of records got. A job that fails does not save it, so its records are checked again.
.remembers:
  cache:
    key: kafka-topology-check-{stack}
    paths: [.check]

.deploys:
  extends: .installed
  interruptible: false
  image: pulumi/pulumi-python:3.259.0
  resource_group: deploy-{stack}
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
      when: never
    - if: $CI_COMMIT_BRANCH == "{branch}"

review:
  stage: review
  rules:
    # Always, also if the topology did not change: a project whose pipelines must succeed cannot merge without one.
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_PIPELINE_SOURCE == "schedule"
      when: never
    # The report that merge requests are compared with. Findings here do not stop the deployment; its preflight does.
    - if: $CI_COMMIT_BRANCH == "{branch}"
      allow_failure: true
  before_script:
    # What the target branch names and has, not what the change does.
    - export REVISION="${CI_MERGE_REQUEST_DIFF_BASE_SHA:-$CI_COMMIT_SHA}"
    - mkdir /tmp/base && git archive "$REVISION" | tar --extract --directory /tmp/base
    - (cd /tmp/base && python3 -I -m pip install --quiet --requirement requirements.txt)
  script:
    - export PAGE_URL="$CI_JOB_URL/artifacts/file/.kafka-topology/change.html"
    - bash "$(python3 -I -m kafka_topology.action)/gitlab.sh"
  variables:
    TOPOLOGY_PATH: {topology}
    ENVIRONMENTS: "{environments}"  # those to review, separated by spaces; empty reviews without one
  artifacts:
    when: always
    paths: [.kafka-topology]
    reports:
      codequality: .kafka-topology/findings.json

plan:
  extends: .deploys
  stage: plan
  script:
    - rm -rf -- "$CI_PROJECT_DIR/.plan"
    - PLAN="$CI_PROJECT_DIR/.plan" bash "$(python3 -I -m kafka_topology.action)/pipeline.sh" plan
  artifacts:
    paths: [.plan]
    expire_in: 1 week
    access: developer

apply:
  extends: .deploys
  stage: apply
  needs: [plan]
  environment: {stack}
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
      when: never
    - if: $CI_COMMIT_BRANCH == "{branch}"
      when: manual
      allow_failure: false
  script:
    - PLAN="$CI_PROJECT_DIR/.plan" BRANCH="{branch}" bash "$(python3 -I -m kafka_topology.action)/pipeline.sh" apply

verify:
  extends: [.deploys, .remembers]
  stage: verify
  needs: [apply]
  script:
    - rm -rf -- "$CI_PROJECT_DIR/.out"
    - export OUT="$CI_PROJECT_DIR/.out" CHECK_STATE="$CI_PROJECT_DIR/.check/state"
    - bash "$(python3 -I -m kafka_topology.action)/pipeline.sh" verify
  artifacts:
    when: always
    paths: [.out]

nightly:
  extends: [.installed, .remembers]
  stage: verify
  image: pulumi/pulumi-python:3.259.0
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  script:
    - rm -rf -- "$CI_PROJECT_DIR/.out"
    # GITLAB_TOKEN, with the scope `api`, opens, updates and closes the issue.
    - export OUT="$CI_PROJECT_DIR/.out" CHECK_STATE="$CI_PROJECT_DIR/.check/state"
    - WAIT=10m HOST=gitlab bash "$(python3 -I -m kafka_topology.action)/pipeline.sh" nightly
  artifacts:
    when: always
    paths: [.out]
"""


def files(marks: Mapping[str, str]) -> dict[str, str]:
    """By path, with the value of each mark in its place."""
    text = PIPELINE
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return {".gitlab-ci.yml": text}
