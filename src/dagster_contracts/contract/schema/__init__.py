"""Typed classes as contracts: what they declare, and the forms they are turned into and read from."""
