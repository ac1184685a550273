"""What a Pulumi stack's config says about a deployment: the topology, the environment and the cluster."""
