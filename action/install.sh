#!/usr/bin/env bash
# Installs kafka-topology, unless the job has it already. PACKAGE is what pip installs.
set -euo pipefail

if command -v kafka-topology >/dev/null; then
  echo "kafka-topology is installed: $(kafka-topology --version)"
  exit 0
fi
python3 -m pip install --quiet --disable-pip-version-check -- "${PACKAGE:-kafka-topology}"
