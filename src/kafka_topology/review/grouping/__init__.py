"""One cause, one row: changes that have the same line as their cause, and renames."""
