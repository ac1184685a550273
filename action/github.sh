#!/usr/bin/env bash
# Validates the topology with annotations and SARIF, reviews the change, and writes or updates the pull request's comment.
# Exits with the first code that is not 0: 1 findings, 2 unreadable, 3 could not check.
set -euo pipefail
GITHUB_REPOSITORY=${GITHUB_REPOSITORY:-}
shown=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/blob/${HEAD_SHA:-${GITHUB_SHA:-HEAD}}
LINK_BASE=${LINK_BASE:-${GITHUB_REPOSITORY:+$shown}}
# shellcheck source=action/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
: "${COMMENT:=true}" "${COMMENT_AUTHOR:=github-actions[bot]}" "${PULL_REQUEST:=}"

comment() {
  local found id
  found=$(mark)
  # The account and the mark are compared as values, never run as a filter.
  id=$(AUTHOR=$COMMENT_AUTHOR MARK=$found gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
    --jq '.[] | select(.user.login == env.AUTHOR and (.body | startswith(env.MARK))) | .id' | head -n 1) || return 1
  if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$REVIEW"
    echo "updated the comment $id"
  else
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field "body=@$REVIEW"
    echo "wrote a comment"
  fi
}

start
validate "github,sarif=$OUT/findings.sarif"
preview
review
if [ -s "$REVIEW" ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$REVIEW" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "review=$REVIEW" >>"$GITHUB_OUTPUT"; fi
  if [ "$COMMENT" = true ] && [ -n "$PULL_REQUEST" ] && ! comment; then
    # The token of a fork's pull request may not write; the job's summary has the review all the same.
    echo "::warning::kafka-topology could not write its comment; the review is in the summary of this job"
  fi
fi
exit "$status"
