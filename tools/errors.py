"""What a tool may raise.

ToolError (text for the model)
└ ArgumentError (the call itself does not fit the tool's schema)
"""


class ToolError(Exception):
    """A call that failed in a way the model can act on; the message is written for the model."""


class ArgumentError(ToolError):
    """Arguments that do not fit: names the path, what was expected and what was given."""
