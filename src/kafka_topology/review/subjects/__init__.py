"""What a review judges: one module each, which describes itself as `SUBJECT`."""
