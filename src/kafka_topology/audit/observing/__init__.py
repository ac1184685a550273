"""What an audit reads of a cluster: observations, and the snapshot that they make."""
