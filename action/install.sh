#!/usr/bin/env bash
# Installs kafka-topology, unless the job has it already. PACKAGE is what pip installs. By default it is the checkout that
# this script is in, with the pinned dependencies. Reading files needs no extra; a preview needs [pulumi].
# A PACKAGE that is a path comes from BASE: a change must not supply what runs with the job's token.
set -euo pipefail
# Isolated, so that no file of the checkout is imported instead of a module.

stopped() {
  echo "kafka-topology is not installed: $1" >&2
  exit 2
}

# is_path PACKAGE: whether pip may read it as a file or a folder.
is_path() {
  case $1 in
    *file:*) return 0 ;;
    *://*) return 1 ;;
    */* | *.whl* | *.zip* | *.tar* | *.tgz* | .*) return 0 ;;
    *) return 1 ;;
  esac
}

# base_files FOLDER: writes the files of the base into it, or those of the checkout if nobody proposes a change.
base_files() {
  local commit checkout
  for checkout in "$PWD" "$(pwd -P)" ${GITHUB_WORKSPACE:+"$GITHUB_WORKSPACE"}; do
    case $PACKAGE in
      *"$checkout"/*) stopped "$PACKAGE is a file of the checkout, which the change may have written; name it by its path from the root of the repository" ;;
    esac
  done
  commit=${BASE:-}
  if [ -z "$commit" ] || [[ $commit =~ ^0+$ ]]; then
    [ -z "${PULL_REQUEST:-}" ] || stopped "$PACKAGE is a path, and there is no base to take it from; set base, or name an address"
    commit=HEAD
  fi
  commit=$(git rev-parse --verify --quiet --end-of-options "$commit^{commit}") ||
    stopped "$PACKAGE is a path, and the checkout does not have the base $BASE; check out with fetch-depth: 0"
  git archive "$commit" | tar --extract --directory "$1"
}

if command -v kafka-topology >/dev/null; then
  echo "kafka-topology is installed: $(kafka-topology --version)"
  exit 0
fi
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pip=(python3 -I -m pip install --quiet --disable-pip-version-check)
if [ -n "${PACKAGE:-}" ]; then
  from=$(mktemp -d)
  trap 'rm -rf -- "$from"' EXIT
  if is_path "$PACKAGE"; then base_files "$from"; fi
  cd -- "$from"  # otherwise empty, so that pip finds no file of the checkout
  "${pip[@]}" -- "$PACKAGE"
else
  "${pip[@]}" --require-hashes --requirement "$checkout/requirements/$([ -n "${PREVIEW_STACK:-}" ] && echo run || echo base).txt"
  "${pip[@]}" --no-deps -- "$checkout"
fi
