"""One resource for a whole topology: each topic, group, user, access and quota is a view of it."""
