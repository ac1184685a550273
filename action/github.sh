#!/usr/bin/env bash
# Reviews the change with annotations on the changed lines, writes every finding as SARIF, and writes or updates the pull
# request's comment. Exits with the first code that is not 0: 1 something of FAIL_ON, 2 unreadable, 3 could not check.
set -euo pipefail
GITHUB_REPOSITORY=${GITHUB_REPOSITORY:-}
shown=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/blob/${HEAD_SHA:-${GITHUB_SHA:-HEAD}}
LINK_BASE=${LINK_BASE:-${GITHUB_REPOSITORY:+$shown}}
# shellcheck source=action/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
: "${COMMENT:=true}" "${COMMENT_AUTHOR:=github-actions[bot]}" "${PULL_REQUEST:=}"
export GITHUB_REPOSITORY COMMENT_AUTHOR PULL_REQUEST

start
validate sarif "$OUT/sarif/%s.sarif" github
preview
review github
if [ -s "$REVIEW" ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$REVIEW" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "review=$REVIEW" >>"$GITHUB_OUTPUT"; fi
  if [ -n "${GITHUB_OUTPUT:-}" ] && [ -s "$PAGE" ]; then
    # A run refuses two artifacts of one name, and some characters in it.
    printf 'page=%s\nartifact=kafka-topology-review%s\n' "$PAGE" "${KEY:+-${KEY//[^A-Za-z0-9._-]/-}}" >>"$GITHUB_OUTPUT"
  fi
  if [ "$COMMENT" = true ] && [ -n "$PULL_REQUEST" ] && ! comment github; then
    # The token of a fork's pull request may not write; the job's summary has the review all the same.
    echo "::warning::kafka-topology could not write its comment; the review is in the summary of this job"
  fi
fi
exit "$status"
