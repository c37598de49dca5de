"""Reproducible measurements of what the package costs, beside the floor and the peer."""
