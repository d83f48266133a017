"""Tests by floor; what they share is importable as `tests.servers…`."""
