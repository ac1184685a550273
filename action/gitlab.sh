#!/usr/bin/env bash
# Validates the topology as a code quality report, reviews the change, and writes or updates the merge request's note.
# GITLAB_TOKEN, a token with the scope `api`, is needed for the note only. Exits as github.sh does.
set -euo pipefail
BASE=${BASE:-${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}}
LINK_BASE=${LINK_BASE:-${CI_PROJECT_URL:+$CI_PROJECT_URL/-/blob/${CI_COMMIT_SHA:-HEAD}}}
# shellcheck source=action/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The token goes through a file that only this user can read: not into the list of processes.
call() {
  curl --silent --show-error --fail --header "@$headers" "$@"
}

note() {
  local notes found id headers
  notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
  headers=$(umask 077 && mktemp)
  # shellcheck disable=SC2064 # the name is known now
  trap "rm -f '$headers'" RETURN
  printf 'PRIVATE-TOKEN: %s\nContent-Type: application/json\n' "$GITLAB_TOKEN" >"$headers"
  found=$(mark)
  id=$(call "$notes?per_page=100&sort=asc" | MARK=$found python3 -c '
import json, os, sys
for note in json.load(sys.stdin):
    if not note.get("system") and note["body"].startswith(os.environ["MARK"]):
        print(note["id"])
        break
') || return 1
  python3 -c 'import json, sys; json.dump({"body": sys.stdin.read()}, sys.stdout)' <"$REVIEW" >"$OUT/note.json"
  if [ -n "$id" ]; then
    call --output /dev/null --request PUT --data "@$OUT/note.json" "$notes/$id"
    echo "updated the note $id"
  else
    call --output /dev/null --request POST --data "@$OUT/note.json" "$notes"
    echo "wrote a note"
  fi
}

start
validate "text,gitlab=$OUT/findings.json"
preview
review
if [ -s "$REVIEW" ] && [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
  if [ -z "${GITLAB_TOKEN:-}" ]; then
    echo "GITLAB_TOKEN is not set, so no note is written; find the review in the artifact $REVIEW" >&2
  elif ! note; then
    echo "could not write the note; find the review in the artifact $REVIEW" >&2
  fi
fi
exit "$status"
