"""Custom instructions: which files hold them, what of them is sent, when, and why not."""
