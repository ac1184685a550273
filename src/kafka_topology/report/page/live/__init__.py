"""Files that `audit` and `check` wrote: what the sections about the live cluster and its records show."""
