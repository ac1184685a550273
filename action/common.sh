# Read by github.sh and gitlab.sh: the steps that both take. Every input is a variable; none is read as shell.
# shellcheck shell=bash

: "${TOPOLOGY_PATH:=topology}" "${ENVIRONMENTS:=}" "${BASE:=}" "${FAIL_ON:=error}" "${KEY:=}"
: "${PREVIEW_STACK:=}" "${LINK_BASE:=}" "${BASELINE:=}" "${PAGE_URL:=}"
# Each topology of a repository has its own comment.
if [ -z "$KEY" ] && [ "$TOPOLOGY_PATH" != topology ]; then KEY=$TOPOLOGY_PATH; fi
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
OUT=.kafka-topology
REVIEW=$OUT/review.md
REVIEW_JSON=$OUT/review.json
PREVIEW=$OUT/preview.json
PAGE=$OUT/change.html
status=0

start() {
  # The folder is of this run only, and never part of a commit. The change may have put a link there: it is removed
  # itself, and nothing is written through it.
  rm -rf -- "$OUT"
  mkdir -m 700 -- "$OUT"
  echo '*' >"$OUT/.gitignore"
  mkdir "$OUT/sarif"
  read -r -a environments <<<"${ENVIRONMENTS//$'\n'/ }"
  FAIL_ON=${FAIL_ON//[$'\n' ]/,}
  baseline=(${BASELINE:+--baseline "$BASELINE"})
}

# Keeps the first exit code that is not 0: every step runs, and none hides another.
keep() {
  local code=$1
  if [ "$status" -eq 0 ]; then status=$code; fi
}

has_base() {
  [ -n "$BASE" ] && [[ ! $BASE =~ ^0+$ ]]
}

# The highest severity that FAIL_ON names: `validate` knows no risks.
severity() {
  case ",$FAIL_ON," in
    *,advice,*) echo advice ;;
    *,warning,*) echo warning ;;
    *) echo error ;;
  esac
}

# validate FORMAT FILE [SHOWN]: every finding of every environment, for the host's own reports. FILE may hold %s, the
# environment. With a base, the review decides what fails, and shows only what is new.
validate() {
  local format=$1 file=$2 shown=${3:-text} code environment name arguments taken=" "
  local names=("${environments[@]}")
  if [ "${#names[@]}" -eq 0 ]; then names=(""); fi
  for environment in "${names[@]}"; do
    code=0
    name=${environment//[^A-Za-z0-9._-]/_}
    # `a/b` and `a_b` have two files, also where case does not matter.
    while [[ $taken == *" ${name,,} "* ]]; do name+=_; done
    taken+="${name,,} "
    arguments=("$TOPOLOGY_PATH" "${baseline[@]}" --fail-on "$(severity)" --format "$format=${file//%s/${name:-default}}")
    if [ -n "$environment" ]; then arguments+=(--env "$environment"); fi
    if ! has_base; then arguments+=(--format "$shown"); fi
    kafka-topology validate "${arguments[@]}" || code=$?
    if [ "$code" -ne 1 ] || ! has_base; then keep "$code"; fi
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

# review [SHOWN]: the review as a comment in $REVIEW, as JSON in $REVIEW_JSON, and as SHOWN, formats with commas between
# them: one without a file is for the log. If PAGE_URL says where the job will keep it, also as a page in $PAGE, which the
# comment links to.
review() {
  if ! has_base; then
    echo "there is no earlier revision to review against; skipping the review" >&2
    return 0
  fi
  local formats="${1:-text},markdown=$REVIEW,json=$REVIEW_JSON${PAGE_URL:+,page=$PAGE}"
  local arguments=("$TOPOLOGY_PATH" --base "$BASE" --fail-on "$FAIL_ON" "${baseline[@]}" --format "$formats")
  local environment code=0
  for environment in "${environments[@]}"; do arguments+=(--env "$environment"); done
  if [ -n "$KEY" ]; then arguments+=(--key "$KEY"); fi
  if [ -n "$LINK_BASE" ]; then arguments+=(--link-base "$LINK_BASE"); fi
  if [ -n "$PAGE_URL" ]; then arguments+=(--page-url "$PAGE_URL"); fi
  if [ -s "$PREVIEW" ]; then arguments+=(--preview "$PREVIEW"); fi
  kafka-topology review "${arguments[@]}" || code=$?
  keep "$code"
}

# comment HOST: writes or updates the comment. Fails, and says why, if the host refuses it.
comment() {
  python3 -I "$HERE/comments.py" "$1" "$REVIEW" "$REVIEW_JSON"
}
