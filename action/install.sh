#!/usr/bin/env bash
# Installs kafka-topology, unless the job has it already. PACKAGE is what pip installs. By default it is the checkout that
# this script is in, with the pinned dependencies. Reading files needs no extra; a preview needs [pulumi].
set -euo pipefail
# Isolated, so that no file of the checkout is imported instead of a module.

if command -v kafka-topology >/dev/null; then
  echo "kafka-topology is installed: $(kafka-topology --version)"
  exit 0
fi
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pip=(python3 -I -m pip install --quiet --disable-pip-version-check)
if [ -n "${PACKAGE:-}" ]; then
  "${pip[@]}" -- "$PACKAGE"
else
  "${pip[@]}" --require-hashes --requirement "$checkout/requirements/$([ -n "${PREVIEW_STACK:-}" ] && echo run || echo base).txt"
  "${pip[@]}" --no-deps -- "$checkout"
fi
