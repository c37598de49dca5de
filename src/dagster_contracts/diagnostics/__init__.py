"""Findings made before anything runs, and the forms they are printed in."""
