"""Commands of the user's own that are told what happens, and may have a say in it."""
