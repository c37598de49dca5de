"""Tables as files: where they are, how they appear whole, and how lazy frames get there."""
