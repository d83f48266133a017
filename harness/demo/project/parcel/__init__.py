"""Prices and labels for a small post office."""
