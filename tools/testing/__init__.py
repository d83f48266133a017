"""Running a project's tests with its own tools: one file a runner, and what they report."""
