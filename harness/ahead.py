"""What the first message needs and the first paint does not."""


def load_ahead() -> None:
    """Import, in a thread after the start, what the first request would wait for (0.2 s on two cores)."""
    import anyio  # noqa: F401 - httpx imports these two with the first request, on the event loop
    import httpcore  # noqa: F401
    import httpx  # noqa: F401 - the import is the point
    import tiktoken  # noqa: F401
