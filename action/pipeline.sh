#!/usr/bin/env bash
# Deploys a topology in steps, each a job of its own:
#
#   pipeline.sh plan     preflight, then a saved Pulumi plan in the new folder PLAN; changes nothing
#   pipeline.sh apply    applies exactly that plan, if files, stack and cluster are still what they were
#   pipeline.sh verify   audit, record checks (CHECK=true) and the report page, in the new folder OUT
#   pipeline.sh nightly  verify, and one issue that is opened, updated or closed (HOST=github or gitlab)
#
# STACK names the Pulumi stack. BRANCH is the branch that is deployed: if it moved since the plan, and one of the paths
# in DEPLOYS (one per line, all by default) differs, the plan is not applied. Every input is a variable; none is read as
# shell. A step that stops says what was changed, and what to do. Exit codes: 1 no, or findings; 2 wrong usage; 3 could
# not check.
set -euo pipefail
: "${STACK:?set it to the name of a Pulumi stack}" "${BRANCH:=}" "${WAIT:=2m}" "${CHECK:=false}" "${HOST:=}"
: "${DEPLOYS:=.}" "${CHECK_STATE:=}" "${GITHUB_STEP_SUMMARY:=}" "${GITHUB_OUTPUT:=}"
export PULUMI_EXPERIMENTAL=true  # `pulumi up --plan` needs it
status=0
cancelled=false  # a signal came during `pulumi up`

# stopped CODE MESSAGE: the last line of the log, and of the summary.
stopped() {
  printf 'pipeline stopped: %s\n' "$2" >&2
  if [ -n "$GITHUB_STEP_SUMMARY" ]; then printf '\n**Stopped:** %s\n' "$2" >>"$GITHUB_STEP_SUMMARY"; fi
  exit "$1"
}

# shown COMMAND…: runs it. Names in a topology may look like workflow commands, so GitHub must not read its output.
shown() {
  local code=0 token=""
  if [ "${GITHUB_ACTIONS:-}" = true ]; then
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
  fi
  "$@" || code=$?
  if [ -n "$token" ]; then echo "::$token::"; fi
  return "$code"
}

# fresh FOLDER: a new folder of this job. One that is there, or a link, may be from the change.
fresh() {
  mkdir -m 700 -- "$1" 2>/dev/null || stopped 2 "the folder $1 must be new, in a folder that exists. Nothing was changed."
}

summary() {
  if [ -n "$GITHUB_STEP_SUMMARY" ] && [ -s "$1" ]; then cat -- "$1" >>"$GITHUB_STEP_SUMMARY"; fi
}

# stoppable COMMAND…: runs it in a process group of its own. Hosts signal a cancelled job several times, some its whole
# group, and kill it some seconds later; a second signal would make Pulumi leave its resources at once. So
# it gets one interrupt: it finishes what it has begun, saves the state and releases the lock.
stoppable() {
  local code=0 child=""
  trap '[ "$cancelled" = true ] || [ -z "$child" ] || kill -INT "$child" 2>/dev/null || true; cancelled=true' INT TERM HUP
  set -m
  "$@" </dev/null &
  child=$!
  set +m
  if [ "$cancelled" = true ]; then kill -INT "$child" 2>/dev/null || true; fi
  while [ -n "$(jobs -pr)" ]; do wait "$child" || true; done  # a signal ends wait, not the command
  wait "$child" || code=$?
  return "$code"
}

# unfinished CODE: stops after a `pulumi up` that did not end well.
unfinished() {
  local again="run the pipeline again from its plan: that completes it"
  local locked="If the stack is locked, run pulumi cancel --stack $STACK first."
  local kept="What it finished is in the state of the stack; the rest is as before."
  if [ "$cancelled" = true ]; then
    stopped 1 "the job was cancelled, so pulumi up was stopped. $kept To complete it, $again. $locked"
  elif [ "$1" -gt 128 ] && [ "$1" -lt 160 ]; then
    stopped 1 "pulumi up was killed. The state of the stack may not show what it did last. Run pulumi cancel --stack $STACK, and $again."
  fi
  stopped 1 "pulumi up failed. $kept Read its error above, fix it, and $again. $locked"
}

keep() {
  if [ "$status" -eq 0 ]; then status=$1; fi
}

plan() {
  local code=0 changes planned
  fresh "${PLAN:?set it to the path of a new folder}"
  shown kafka-topology preflight --stack "$STACK" \
    --format "json=$PLAN/preflight.json,markdown=$PLAN/preflight.md,text" || code=$?
  summary "$PLAN/preflight.md"
  [ "$code" -eq 0 ] || stopped "$code" \
    "the preflight did not say yes. Nothing was changed. Fix its reasons in the files or on the cluster, and run this job again."
  planned=$(git rev-parse --verify HEAD)
  shown pulumi preview --stack "$STACK" --non-interactive --color never --diff --save-plan "$PLAN/plan.json" || code=$?
  [ "$code" -eq 0 ] || stopped 1 \
    "pulumi preview failed. Nothing was changed. Read its error above, fix it, and run this job again."
  echo "$planned" >"$PLAN/commit"  # last: without it, nothing is applied
  changes=$(python3 -I -c 'import json, sys; print(sum(json.load(open(sys.argv[1]))["changes"].values()))' "$PLAN/preflight.json")
  echo "changes in the plan: $changes; commit: $(cat "$PLAN/commit")"
  if [ -n "$GITHUB_OUTPUT" ]; then echo "changes=$changes" >>"$GITHUB_OUTPUT"; fi
}

apply() {
  local code=0 file now planned tip paths=()
  : "${PLAN:?set it to the folder of the plan}"
  for file in commit plan.json preflight.json; do
    if [ ! -f "$PLAN/$file" ] || [ -L "$PLAN/$file" ]; then
      stopped 2 "there is no plan in $PLAN ($file is missing). Nothing was changed. Run the plan job again."
    fi
  done
  now=$(git rev-parse --verify HEAD)
  planned=$(cat "$PLAN/commit")
  [ "$now" = "$planned" ] || stopped 1 \
    "the plan was made from commit $planned, and this is $now. Nothing was changed. Run the plan job again."
  if [ -n "$BRANCH" ]; then
    git fetch --quiet --no-tags origin "refs/heads/$BRANCH" || stopped 3 \
      "could not check whether $BRANCH moved since the plan. Nothing was changed. Run this job again."
    tip=$(git rev-parse --verify FETCH_HEAD)
    mapfile -t paths < <(sed '/^[[:space:]]*$/d' <<<"$DEPLOYS")
    git diff --quiet --no-ext-diff --no-textconv "$now" "$tip" -- "${paths[@]}" || code=$?
    [ "$code" -le 1 ] || stopped 3 \
      "could not compare $BRANCH with the plan. Nothing was changed. Run this job again."
    [ "$code" -eq 0 ] || stopped 1 \
      "$BRANCH moved to $tip since the plan. Nothing was changed. The pipeline of that commit deploys both."
  fi
  shown kafka-topology preflight --stack "$STACK" --expect "$PLAN/preflight.json" || code=$?
  [ "$code" -eq 0 ] || stopped "$code" \
    "something changed since the plan was approved. Nothing was changed by this job. Run the plan job again, and approve its plan."
  shown stoppable pulumi up --stack "$STACK" --non-interactive --color never --yes --skip-preview --plan "$PLAN/plan.json" || code=$?
  [ "$code" -eq 0 ] || unfinished "$code"
}

# look: sets the status to the first exit code that is not 0.
look() {
  local code=0
  local shows=(--audit "$OUT/audit.json")
  shown kafka-topology audit --stack "$STACK" --for "$WAIT" \
    --format "json=$OUT/audit.json,markdown=$OUT/audit.md,text" || code=$?
  keep "$code"
  summary "$OUT/audit.md"
  if [ "$CHECK" = true ]; then
    local state=(${CHECK_STATE:+--incremental "$CHECK_STATE"})
    if [ -n "$CHECK_STATE" ]; then mkdir -p -- "$(dirname -- "$CHECK_STATE")"; fi
    code=0
    shown kafka-topology check --stack "$STACK" "${state[@]}" \
      --format "json=$OUT/check.json,markdown=$OUT/check.md,text" || code=$?
    keep "$code"
    summary "$OUT/check.md"
    if [ -s "$OUT/check.json" ]; then shows+=(--check "$OUT/check.json"); fi
  fi
  if [ -s "$OUT/audit.json" ]; then
    shown kafka-topology report --stack "$STACK" "${shows[@]}" --output "$OUT/report.html" || keep $?
  fi
}

verify() {
  fresh "${OUT:?set it to the path of a new folder}"
  look
  [ "$status" -ne 1 ] || stopped 1 \
    "the topology was applied, and there are findings. Nothing needs to be undone: fix what they name, above or in the report, and run this job again."
  [ "$status" -eq 0 ] || stopped "$status" \
    "the topology was applied, and not everything could be checked. Nothing needs to be undone: read the errors above, and run this job again."
}

nightly() {
  fresh "${OUT:?set it to the path of a new folder}"
  look
  cat "$OUT"/*.md >"$OUT/issue.txt" 2>/dev/null || true
  if [ -n "$HOST" ]; then
    python3 -I -m kafka_topology.action.issues "$HOST" "$STACK" "$status" "$OUT/issue.txt" || keep 3
  fi
  exit "$status"
}

case "${1:-}" in
  plan | apply | verify | nightly) "$1" ;;
  *) stopped 2 "pipeline.sh takes plan, apply, verify or nightly" ;;
esac
