"""Everything that the harness raises, by who is at fault and what can be done.

HarnessError
├ ConfigError                    a setting is wrong: file, key, nearest valid key
├ ProviderError                  the model's side: provider, request id
│ ├ AuthenticationFailed         which variable, which provider
│ ├ RateLimited                  retry_after
│ ├ Overloaded                   500, 502, 503, 529
│ ├ ConnectionFailed             nothing arrived
│ ├ StreamBroken                 something arrived, then the stream stopped
│ ├ ContextTooLong               sent, limit
│ └ RequestRejected              any other refusal: status, body
│   └ OptionRefused              the next encoding leaves the option out
├ SessionError
│ ├ SessionNotFound
│ ├ SessionInUse                 another process has it open
│ └ LogCorrupt                   file, line
└ (RuntimeError) MisuseError     our own caller is wrong
  ├ InteractionInProgress
  ├ SessionClosed
  └ UnknownRequest
"""

from cutaway.harness.messages import AssistantMessage


class HarnessError(Exception):
    """A failure that a user can act on; the message names the thing, the cause and the next step."""


class ConfigError(HarnessError):
    """A setting that cannot be used."""


class ProviderError(HarnessError):
    """A model call that failed.

    `status` is the HTTP status, `request_id` the provider's own id for the call, where there is one.
    """

    def __init__(
        self, message: str, *, provider: str, status: int | None = None, request_id: str = ""
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status
        self.request_id = request_id


class AuthenticationFailed(ProviderError):
    """The key is missing, wrong, or may not use this model."""


class RateLimited(ProviderError):
    """Too many requests; `retry_after` is the provider's floor in seconds, `quota` that money ran out."""

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        retry_after: float | None = None,
        quota: bool = False,
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message, provider=provider, status=status, request_id=request_id)
        self.retry_after = retry_after
        self.quota = quota


class Overloaded(ProviderError):
    """The provider failed by itself (5xx); trying again may help. `retry_after` in seconds."""

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        retry_after: float | None = None,
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message, provider=provider, status=status, request_id=request_id)
        self.retry_after = retry_after


class ConnectionFailed(ProviderError):
    """No answer: unknown host, timed out before the first byte; `refused` that nothing listens there."""

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        refused: bool = False,
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message, provider=provider, status=status, request_id=request_id)
        self.refused = refused


class StreamBroken(ProviderError):
    """The answer stopped in the middle; what had arrived was streamed before this was raised.

    `partial` is what can be kept of it (text, whole tool calls; `cut` is set), `raw` the bytes as text.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        partial: AssistantMessage | None = None,
        raw: str = "",
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message, provider=provider, status=status, request_id=request_id)
        self.partial = partial
        self.raw = raw


class ContextTooLong(ProviderError):
    """More was sent than the model's window holds; `sent` and `limit` are tokens, None if not said."""

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        sent: int | None = None,
        limit: int | None = None,
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message, provider=provider, status=status, request_id=request_id)
        self.sent = sent
        self.limit = limit


class RequestRejected(ProviderError):
    """The provider refused the request as it is; sending it again cannot help."""


class OptionRefused(RequestRejected):
    """The provider refused an option that can be done without: encoded anew, the request lacks it."""


class SessionError(HarnessError):
    """A stored session cannot be used."""


class SessionNotFound(SessionError):
    """No session has that id."""


class SessionInUse(SessionError):
    """Another process has the session open."""


class LogCorrupt(SessionError):
    """A log that holds nothing usable."""


class MisuseError(RuntimeError):
    """Our own caller did what the contract forbids."""


class InteractionInProgress(MisuseError):
    """Something was asked that must wait for the end of the interaction."""


class SessionClosed(MisuseError):
    """The session was closed before."""


class UnknownRequest(MisuseError):
    """An answer to a question that is not open."""
