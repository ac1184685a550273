# Read by github.sh and gitlab.sh: the steps that both take. Every input is a variable; none is read as shell.
# shellcheck shell=bash

: "${TOPOLOGY_PATH:=topology}" "${ENVIRONMENTS:=}" "${BASE:=}" "${FAIL_ON:=error}" "${KEY:=}"
: "${PREVIEW_STACK:=}" "${LINK_BASE:=}"
OUT=.kafka-topology
REVIEW=$OUT/review.md
PREVIEW=$OUT/preview.json
status=0

start() {
  mkdir -p "$OUT"
  # The folder is of this run only, and never part of a commit.
  echo '*' >"$OUT/.gitignore"
  rm -f "$REVIEW" "$PREVIEW" "$OUT"/findings.*
  read -r -a environments <<<"${ENVIRONMENTS//$'\n'/ }"
}

# Keeps the first exit code that is not 0: every step runs, and none hides another.
keep() {
  local code=$1
  if [ "$status" -eq 0 ]; then status=$code; fi
}

# validate FORMATS: the rules alone, for each environment; FORMATS names where the findings go.
validate() {
  local formats=$1 code=0
  local first=(${environments[0]+--env "${environments[0]}"})
  kafka-topology validate "$TOPOLOGY_PATH" "${first[@]}" --fail-on "$FAIL_ON" --format "$formats" || code=$?
  keep "$code"
  local environment
  for environment in "${environments[@]:1}"; do
    code=0
    kafka-topology validate "$TOPOLOGY_PATH" --env "$environment" --fail-on "$FAIL_ON" || code=$?
    keep "$code"
  done
}

preview() {
  [ -n "$PREVIEW_STACK" ] || return 0
  local code=0
  pulumi preview --json --non-interactive --stack "$PREVIEW_STACK" >"$PREVIEW" || code=$?
  if [ ! -s "$PREVIEW" ]; then
    echo "could not check drift: pulumi preview wrote nothing (exit code $code)" >&2
    rm -f "$PREVIEW"
    keep 3
  fi
}

# The review as a comment in $REVIEW. Without a base there is nothing to compare with.
review() {
  if [ -z "$BASE" ] || [[ $BASE =~ ^0+$ ]]; then
    echo "there is no earlier revision to review against; skipping the review" >&2
    return 0
  fi
  local arguments=("$TOPOLOGY_PATH" --base "$BASE" --fail-on "$FAIL_ON" --format markdown --output "$REVIEW")
  local environment code=0
  for environment in "${environments[@]}"; do arguments+=(--env "$environment"); done
  if [ -n "$KEY" ]; then arguments+=(--key "$KEY"); fi
  if [ -n "$LINK_BASE" ]; then arguments+=(--link-base "$LINK_BASE"); fi
  if [ -s "$PREVIEW" ]; then arguments+=(--preview "$PREVIEW"); fi
  kafka-topology review "${arguments[@]}" || code=$?
  keep "$code"
}

# The hidden first line of the comment, by which it is found again. Only letters, digits and a few signs are in it.
mark() {
  local line
  read -r line <"$REVIEW"
  if [[ ! $line =~ ^'<!-- kafka-topology:review'[A-Za-z0-9:._/-]*' -->'$ ]]; then
    echo "the review does not start with its mark" >&2
    return 1
  fi
  printf '%s' "$line"
}
