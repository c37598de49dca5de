"""The flights out of New York in 2013, under contract."""
