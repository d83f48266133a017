"""The parts of the inspector: each turns one side of a turn into rows."""
