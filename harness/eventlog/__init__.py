"""What happened in a session, on disk: one record a line, large texts once, nothing valid ever lost."""
