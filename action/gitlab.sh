#!/usr/bin/env bash
# Reviews the change, writes every finding as a code quality report, and writes or updates the merge request's note.
# GITLAB_TOKEN, a token with the scope `api`, is needed for the note only. Exits as github.sh does.
set -euo pipefail
BASE=${BASE:-${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}}
LINK_BASE=${LINK_BASE:-${CI_PROJECT_URL:+$CI_PROJECT_URL/-/blob/${CI_COMMIT_SHA:-HEAD}}}
# shellcheck source=action/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start
validate gitlab "$OUT/findings.%s.json"
preview
review "text,gitlab=$OUT/changes.json"
# The host takes one report: the findings of all environments, and what the review says about changed lines, each once. A
# finding that both have has one fingerprint.
python3 -I - "$OUT"/findings.*.json "$OUT/changes.json" >"$OUT/findings.json" <<'PYTHON'
import json, sys
held = {}
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8") as file:
            held.update((issue["fingerprint"], issue) for issue in json.load(file))
    except FileNotFoundError:
        pass
json.dump(list(held.values()), sys.stdout, indent=2)
PYTHON
if [ -s "$REVIEW" ] && [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
  if [ -z "${GITLAB_TOKEN:-}" ]; then
    echo "GITLAB_TOKEN is not set, so no note is written; find the review in the artifact $REVIEW" >&2
  elif ! comment gitlab; then
    echo "could not write the note; find the review in the artifact $REVIEW" >&2
  fi
fi
exit "$status"
