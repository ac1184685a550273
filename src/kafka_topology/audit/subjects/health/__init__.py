"""The health of the cluster itself: subjects that compare nothing declared, but say what hurts now or soon."""
