"""The pipeline on GitHub: a review on pull requests, a deployment after a merge, and a look every night."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# By commit, because a tag can be moved. The remark says which version it is.
_CHECKOUT: Final = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_PYTHON: Final = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0"
_UPLOAD: Final = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2"
_DOWNLOAD: Final = "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0"
_CACHE: Final = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3"
_PULUMI: Final = "pulumi/actions@8e5e406f4007fca908480587cb9893c07090f58d # v7.0.0"
_RUN: Final = "${{ github.server_url }}/${{ github.repository }}/actions/runs/${{ github.run_id }}"

REVIEW: Final = f"""\
# Reviews each pull request: annotations on lines, a summary, and a comment that every push updates. It reads files
# only: no secret, no cluster, no program of the change. A fork's token may not comment; the summary has the review
# all the same. Never change `pull_request` to `pull_request_target`: that gives the change a token that may write.
# It has no `paths:` filter, so that it can be a required check: GitHub waits forever for a workflow that it skips.
name: topology
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: {_CHECKOUT}
        with: {{fetch-depth: 0, persist-credentials: false}}
      # A pull request that changes nothing of this passes at once. One whose last push took its change back is reviewed
      # again, so that the comment says so; likewise if git cannot compare.
      - id: changed
        run: |
          same() {{
            git diff --quiet --no-ext-diff --no-textconv "$@" -- \\
              {{topology}} requirements.txt .github/workflows/topology.yml
          }}
          if same "$BASE...HEAD" && {{ [ -z "$PUSHED" ] || same "$PUSHED" HEAD; }}; then
            echo "The topology does not change: nothing to review."
          else
            echo "review=true" >>"$GITHUB_OUTPUT"
          fi
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
          PUSHED: ${{{{ github.event.before }}}}
      - if: steps.changed.outputs.review == 'true'
        uses: {_PYTHON}
        with: {{python-version: "3.12"}}
      # What the base names and has, not what the change does: a wheel of the change would run with this job's token.
      - if: steps.changed.outputs.review == 'true'
        run: |
          mkdir "$RUNNER_TEMP/base"
          git archive "$BASE" | tar --extract --directory "$RUNNER_TEMP/base"
          cd "$RUNNER_TEMP/base" && python -I -m pip install --quiet --requirement requirements.txt
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
      - id: review
        if: steps.changed.outputs.review == 'true'
        run: bash "$(python -I -m kafka_topology.action)/github.sh"
        env:
          TOPOLOGY_PATH: {{topology}}
          ENVIRONMENTS: "{{environments}}"  # those to review, separated by spaces; empty reviews without one
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
          PULL_REQUEST: ${{{{ github.event.pull_request.number }}}}
          HEAD_SHA: ${{{{ github.event.pull_request.head.sha }}}}
          PAGE_URL: {_RUN}#artifacts
          GH_TOKEN: ${{{{ github.token }}}}
      # The change as a page: the comment links to it.
      - if: always() && steps.review.outputs.page != ''
        uses: {_UPLOAD}
        with:
          name: ${{{{ steps.review.outputs.artifact }}}}
          path: ${{{{ steps.review.outputs.page }}}}
          include-hidden-files: true
"""

_STEPS: Final = f"""\
      - uses: {_CHECKOUT}
        with: {{fetch-depth: 0}}
      - uses: {_PYTHON}
        with: {{python-version: "3.12"}}
      - uses: {_PULUMI}
        with: {{pulumi-version: 3.259.0}}
      # Where Pulumi.yaml looks for the provider's plugin.
      - run: |
          python -I -m venv --clear .venv
          .venv/bin/python -I -m pip install --quiet --requirement requirements.txt
          echo "$PWD/.venv/bin" >>"$GITHUB_PATH"
"""
# Each job installs the same; the plan is what travels between them.
_SECRETS: Final = """\
    env:
      STACK: {stack}
      # Where the state is: s3://…, gs://…, azblob://…, or empty for Pulumi Cloud.
      PULUMI_BACKEND_URL: ${{ vars.PULUMI_BACKEND_URL }}
      PULUMI_ACCESS_TOKEN: ${{ secrets.PULUMI_ACCESS_TOKEN }}
      PULUMI_CONFIG_PASSPHRASE: ${{ secrets.PULUMI_CONFIG_PASSPHRASE }}
"""
_OIDC: Final = """\
permissions:
  contents: read
  id-token: write  # to log in to a cloud by OIDC: add its login action before the steps that need it
"""

_REMEMBERS: Final = f"""\
      # How far the last check of records got. A job that fails does not save it, so its records are checked again.
      - uses: {_CACHE}
        with:
          path: ${{{{ runner.temp }}}}/check
          key: kafka-topology-check-{{stack}}-${{{{ github.run_id }}}}-${{{{ github.job }}}}
          restore-keys: kafka-topology-check-{{stack}}-
"""

DEPLOY: Final = f"""\
# After a merge: preflight and a saved plan, an approval, exactly that plan, then an audit. One deployment at a time,
# and none is cancelled half-way. Required reviewers of the environment `{{stack}}` approve (Settings, Environments).
name: deploy
on:
  push:
    branches: [{{branch}}]
    paths: ["{{topology}}", "{{topology}}/**", Pulumi.*, program/**, requirements.txt, .github/workflows/deploy.yml]
  workflow_dispatch:
{_OIDC}\
concurrency:
  group: deploy-{{stack}}
  cancel-in-progress: false
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs:
      changes: ${{{{ steps.plan.outputs.changes }}}}
{_SECRETS}\
    steps:
{_STEPS}\
      - id: plan
        run: bash "$(python -I -m kafka_topology.action)/pipeline.sh" plan
        env:
          PLAN: ${{{{ runner.temp }}}}/plan
      - uses: {_UPLOAD}
        with: {{name: plan, path: "${{{{ runner.temp }}}}/plan", retention-days: 7, if-no-files-found: error}}
  apply:
    needs: plan
    if: needs.plan.outputs.changes != '0'
    runs-on: ubuntu-latest
    environment: {{stack}}
{_SECRETS}\
      BRANCH: {{branch}}
      # As `paths` above: commits that change something else start no deployment, and do not stop this one.
      DEPLOYS: |
        {{topology}}
        Pulumi.*
        program
        requirements.txt
        .github/workflows/deploy.yml
    steps:
{_STEPS}\
      - uses: {_DOWNLOAD}
        with: {{name: plan, path: "${{{{ runner.temp }}}}/plan"}}
      # With exec, so that it gets the signal of a cancelled job: GitHub sends it to the first process of the step only.
      - run: exec bash "$(python -I -m kafka_topology.action)/pipeline.sh" apply
        env:
          PLAN: ${{{{ runner.temp }}}}/plan
  verify:
    needs: apply
    runs-on: ubuntu-latest
{_SECRETS}\
    steps:
{_STEPS}\
{_REMEMBERS}\
      - run: bash "$(python -I -m kafka_topology.action)/pipeline.sh" verify
        env:
          OUT: ${{{{ runner.temp }}}}/out
          CHECK_STATE: ${{{{ runner.temp }}}}/check/state
          CHECK: "false"  # true also checks live records; add the extra [spark] to requirements.txt
      - if: always()
        uses: {_UPLOAD}
        with: {{name: report, path: "${{{{ runner.temp }}}}/out"}}
"""

NIGHTLY: Final = f"""\
# Every night: the cluster against the topology. One issue is opened when they differ, and closed after it.
name: nightly
on:
  schedule:
    - cron: "17 3 * * *"
  workflow_dispatch:
{_OIDC}\
  issues: write
jobs:
  audit:
    runs-on: ubuntu-latest
{_SECRETS}\
    steps:
{_STEPS}\
{_REMEMBERS}\
      - run: bash "$(python -I -m kafka_topology.action)/pipeline.sh" nightly
        env:
          OUT: ${{{{ runner.temp }}}}/out
          CHECK_STATE: ${{{{ runner.temp }}}}/check/state
          WAIT: 10m
          CHECK: "false"
          HOST: github
          GH_TOKEN: ${{{{ github.token }}}}
      - if: always()
        uses: {_UPLOAD}
        with: {{name: report, path: "${{{{ runner.temp }}}}/out"}}
"""


def files(marks: Mapping[str, str]) -> dict[str, str]:
    """By path, with the value of each mark in its place."""
    found = {}
    for name, text in {"topology": REVIEW, "deploy": DEPLOY, "nightly": NIGHTLY}.items():
        for mark, value in marks.items():
            text = text.replace(mark, value)  # noqa: PLW2901
        found[f".github/workflows/{name}.yml"] = text
    return found
