"""Rows from APIs, files and queues, brought to a contract's types."""
