"""Contract assets are called before any run, on frames that were made up, and what they return is held to the contract.

Nothing is written, no resource is started and nothing outside is read: `watch` stops a function that tries.
"""
