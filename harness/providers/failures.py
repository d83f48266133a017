"""What a refusal means: status, headers and body of an answer to one error of the tree."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from cutaway.harness.errors import (
    AuthenticationFailed,
    ContextTooLong,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
)
from cutaway.harness.providers.endpoint import Endpoint
from cutaway.harness.providers.rate_limits import UsedUp, used_up

_SHOWN = 600
_NO_CREDIT = "credit balance is too low"
"""Anthropic says it with status 400."""
_QUOTA = (
    "insufficient_quota",
    "billing",
    "insufficient_balance",
    "insufficient balance",
    "exceeded your current quota",
    _NO_CREDIT,
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length"
    r"|context (window|size|length)[^.]{0,40}exceed"
    r"|exceeds? the (available |maximum |model's )?context|prompt is too long|too many tokens"
    r"|input length and `?max_tokens`? exceed",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"invalid_api_key|api key (is )?(not valid|invalid)|invalid api key", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|not_found_error\s+model\b|model\b.*(not found|not exist|not supported)|valid model",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:maximum context length is|context (?:size|window|length)\D{0,12}|\d tokens >|\+ \d+ >) ?(\d[\d,]*)",
    re.IGNORECASE,
)
_SENT = re.compile(
    r"(?:resulted in|requested(?: about)?|request \(|you sent|prompt is too long:|exceed context limit:)"
    r" ?(\d[\d,]*)(?: tokens)?",
    re.IGNORECASE,
)
_TRY_AGAIN = re.compile(
    r"(?:try again|retry)\s+(?:in|after)\s+(?P<span>(?:\d+(?:\.\d+)?\s*(?:ms|[hms])[a-z]*\s*)+|\d+)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|h|m|s)", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no completion, as received; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: str
    model: str

    @property
    def request_id(self) -> str:
        return request_id_in(self.headers) or self.headers.get("cf-ray", "")


def request_id_in(headers: Mapping[str, str]) -> str:
    """Find the provider's own id for a call in the headers of its answer."""
    return headers.get("x-request-id", "") or headers.get("request-id", "")


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a refusal: its message and its machine-readable codes, lower case."""

    message: str
    codes: str
    details: Mapping[str, Any]


def failure_of(refusal: Refusal, endpoint: Endpoint, now: datetime) -> ProviderError:
    """Say what a refusal means and what to do next; secrets that it repeats are masked."""
    said = _read(endpoint.mask(refusal.body))
    status, who = refusal.status, endpoint.name
    common: dict[str, Any] = {"provider": who, "status": status, "request_id": refusal.request_id}
    words = f": {said.message}" if said.message else ""
    if 300 <= status < 400:
        target = endpoint.mask(refusal.headers.get("location", "elsewhere"))
        return RequestRejected(
            f"{who} redirects {endpoint.shown} to {target}. The key is not sent there; "
            "if you trust that address, give it as the base URL.",
            **common,
        )
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(f"{said.codes} {said.message}")):
        return AuthenticationFailed(
            f"{who} refused the key ({status}){words}. {_key_advice(endpoint)}", **common
        )
    if _is_quota(status, said):
        return RateLimited(
            f"{who} says that the quota or the balance is used up ({status}){words}. "
            "Add credit there, or choose another provider or model.",
            quota=True,
            **common,
        )
    wait = retry_after(refusal.headers, said.message, now)
    if status == 429:
        limits = used_up(refusal.headers, now)
        wait = _longest(limits) if wait is None else wait
        message = f"{who} limits the rate ({status}){words}.{_limit_words(limits)}{_wait_words(wait)}"
        return RateLimited(message, retry_after=wait, **common)
    if status == 413 or _TOO_LONG.search(f"{said.codes} {said.message}"):
        return _too_long(who, words, said, common)
    if status == 408 or (status >= 500 and status not in (501, 505)):
        return Overloaded(f"{who} failed ({status}){words}.{_wait_words(wait)}", retry_after=wait, **common)
    return _rejected(refusal, endpoint, said, words, common)


def failure_in_stream(error: Any, refusal: Refusal, endpoint: Endpoint, now: datetime) -> ProviderError:
    """Say what an error object inside a 200 answer means; its code stands in for the status."""
    body = json.dumps({"error": error}, ensure_ascii=False)
    said = _read(body)
    status = _status_in(error, said)
    return failure_of(Refusal(status, refusal.headers, body, refusal.model), endpoint, now)


def _status_in(error: Any, said: _Said) -> int:
    code = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(code, int | str) and str(code).isdigit() and 400 <= int(code) < 600:
        return int(code)
    text = f"{said.codes} {said.message.lower()}"
    for status, words in (
        (429, ("rate_limit", "rate limit", "too many requests", *_QUOTA)),
        (529, ("overloaded",)),
        (401, ("invalid_api_key", "authentication")),
        (403, ("permission_error",)),
        (413, ("request_too_large",)),
        (400, ("invalid_request", "context_length", "not_found", "bad_request")),
        (400, ("invalid_prompt", "bio_policy", "policy_violation")),
    ):
        if any(word in text for word in words):
            return status
    return 500


def _key_advice(endpoint: Endpoint) -> str:
    variable = endpoint.dialect.key_variable
    if not variable:
        return "This provider needs no key of its own; check what stands before it."
    if endpoint.authorized:
        return f"Check the key in {variable} and that it may use this model."
    return f"No key was sent: set {variable}."


def _is_quota(status: int, said: _Said) -> bool:
    text = f"{said.codes} {said.message.lower()}"
    if status == 400:
        return _NO_CREDIT in text
    return status == 402 or (status == 429 and any(word in text for word in _QUOTA))


def _too_long(who: str, words: str, said: _Said, common: dict[str, Any]) -> ContextTooLong:
    sent, limit = said.details.get("n_prompt_tokens"), said.details.get("n_ctx")  # llama.cpp says both
    return ContextTooLong(
        f"{who} refused the request: it is longer than the model's context{words}. "
        "Start a new session, or choose a model with a larger window.",
        sent=sent if isinstance(sent, int) else _number(_SENT, said.message),
        limit=limit if isinstance(limit, int) else _number(_LIMIT, said.message),
        **common,
    )


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(found[1].replace(",", "")) if found else None


def _rejected(
    refusal: Refusal, endpoint: Endpoint, said: _Said, words: str, common: dict[str, Any]
) -> RequestRejected:
    who, status = endpoint.name, refusal.status
    if is_web_page(refusal.body):
        return RequestRejected(
            f"{endpoint.shown} answered {status} with a web page{words}. "
            "The base URL is probably wrong: it must be the one of the API.",
            **common,
        )
    if status in (400, 404) and _NO_MODEL.search(f"{said.codes} {said.message}"):
        message = (
            f"{who} does not know the model {refusal.model!r}{words}. `cutaway models` lists what it has."
        )
    elif status == 404:
        message = f"Nothing answers at {endpoint.shown} (404){words}. Check the base URL."
    else:
        message = f"{who} refused the request ({status}){words}."
    return RequestRejected(message, **common)


def is_web_page(body: str) -> bool:
    """Tell HTML from anything an API sends."""
    return body.lstrip("\ufeff \t\r\n")[:1] == "<"


def _read(body: str) -> _Said:
    """Find the words of an error in any of the shapes that servers use."""
    if is_web_page(body):
        title = re.search(r"<title[^>]*>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
        return _Said(_short(title[1]) if title else "", "", {})
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return _Said(_short(body), "", {})
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return _Said(_short(error if isinstance(error, str) else json.dumps(error)), "", {})
    message = next((error[k] for k in ("message", "detail", "msg", "error") if error.get(k)), error)
    upstream = error.get("metadata")
    if isinstance(upstream, dict) and isinstance(upstream.get("raw"), str):  # OpenRouter's provider
        message = f"{message} ({upstream['raw']})"
    codes = " ".join(str(error.get(key) or "") for key in ("code", "type", "status"))
    return _Said(_short(message if isinstance(message, str) else json.dumps(message)), codes.lower(), error)


def _short(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text) - _SHOWN} characters more)"


def retry_after(headers: Mapping[str, str], message: str, now: datetime) -> float | None:
    """Find how long the provider asks to wait, in seconds: headers first, then its words."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    if value := headers.get("retry-after", "").strip():
        seconds = _seconds(value)
        return seconds if seconds is not None else _until(value, now)
    found = _TRY_AGAIN.search(message)
    if found is None:
        return None
    spans = _SPAN.findall(found["span"])
    if not spans:
        return _seconds(found["span"])
    return sum(float(count) * _UNITS[unit.lower()] for count, unit in spans)


def _longest(limits: tuple[UsedUp, ...]) -> float | None:
    return max((limit.wait for limit in limits if limit.wait is not None), default=None)


def _limit_words(limits: tuple[UsedUp, ...]) -> str:
    told = (f"{limit.kind} ({limit.limit} a minute)" if limit.limit else limit.kind for limit in limits)
    return f" Used up: {', '.join(told)}." if limits else ""


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(value, 0.0) if value < float("inf") else None


def _until(date: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)


def _wait_words(wait: float | None) -> str:
    return (
        ""
        if wait is None
        else f" It asks to wait {wait:.0f} s."
        if wait >= 10
        else f" It asks to wait {wait:g} s."
    )
