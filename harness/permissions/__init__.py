"""The one place where it is decided whether a call may run."""
