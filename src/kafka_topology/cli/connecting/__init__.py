"""How a command reaches a cluster: by its options, or by a Pulumi stack."""

from .options import CONNECTION, client_settings, connection_options, has_cluster
from .stack import stack_options

__all__ = ["CONNECTION", "client_settings", "connection_options", "has_cluster", "stack_options"]
