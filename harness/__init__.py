"""The middle floor: decides, asks, runs, times, prices and records."""
