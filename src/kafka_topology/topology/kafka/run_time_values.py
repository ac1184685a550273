"""Values of client settings that are only known where the client runs: whole or in part, something replaces them.

Kafka's config providers replace `${env:AZ}` and `${file:path:key}`, Spring `${NAME}` and `${LINGER:5}`, and many
scripts `${HOSTNAME}`. Everything that asks whether a file says a value asks here.
"""

from __future__ import annotations

import re

PATTERN = r"\$\{[^{}]+\}"
PLACEHOLDER = re.compile(PATTERN)


def is_set_at_run_time(value: str) -> bool:
    """Whether the value contains a placeholder, so that no rule knows it."""
    return PLACEHOLDER.search(value) is not None
