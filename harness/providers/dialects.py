"""Where the speakers of Chat Completions differ, as data: one value a provider, no code."""

from typing import Literal

from msgspec import Struct


class Dialect(Struct, frozen=True, kw_only=True):
    """How one provider speaks Chat Completions, and where it is found.

    `key_variable` is the environment variable of its key; a local server may do without. `default_model`
    is asked for when the user named none ('' asks the server what it has). `start_hint` tells how
    to start a local server.
    """

    name: str
    title: str
    base_url: str
    key_variable: str = ""
    local: bool = False
    default_model: str = ""
    max_tokens_field: str = "max_tokens"
    stream_options: bool = True
    empty_content: Literal["", None] = None
    """What stands for no text beside tool calls."""
    effort: Literal["reasoning_effort", "reasoning.effort", "none"] = "reasoning_effort"
    reasoning_keys: tuple[str, ...] = ("reasoning_content", "reasoning")
    """Names under which thinking arrives, the preferred first; it goes back under the one it came by."""
    start_hint: str = ""


OPENAI = Dialect(
    name="openai",
    title="OpenAI",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    default_model="gpt-5.1",
    max_tokens_field="max_completion_tokens",
)
CUSTOM = Dialect(
    name="custom",
    title="a server of your own",
    base_url="",
    key_variable="OPENAI_API_KEY",
)
SCRIPTED = Dialect(name="scripted", title="a script", base_url="", local=True)

# Addresses and variables are those of each provider's documentation, as of 2026-11.
DIALECTS: tuple[Dialect, ...] = (
    OPENAI,
    Dialect(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        default_model="openai/gpt-5.1",
        effort="reasoning.effort",
        reasoning_keys=("reasoning", "reasoning_content"),
    ),
    Dialect(
        name="deepseek",
        title="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        key_variable="DEEPSEEK_API_KEY",
        default_model="deepseek-flash",
        empty_content="",
        effort="none",
    ),
    Dialect(
        name="ollama",
        title="Ollama",
        base_url="http://127.0.0.1:11434/v1",
        key_variable="OLLAMA_API_KEY",
        local=True,
        empty_content="",
        start_hint="start it with `ollama serve`",
    ),
    Dialect(
        name="lmstudio",
        title="LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        key_variable="LM_API_TOKEN",
        local=True,
        empty_content="",
        effort="none",
        start_hint="start its server in the Developer tab, or with `lms server start`",
    ),
    Dialect(
        name="llamacpp",
        title="llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        key_variable="LLAMA_API_KEY",
        local=True,
        effort="none",
        start_hint="start it with `llama-server --jinja -m MODEL.gguf`",
    ),
    Dialect(
        name="vllm",
        title="vLLM",
        base_url="http://127.0.0.1:8000/v1",
        key_variable="VLLM_API_KEY",
        local=True,
        start_hint="start it with `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER`",
    ),
)


def dialect_named(name: str) -> Dialect | None:
    """Find a dialect by the name that the command line uses."""
    return next((dialect for dialect in DIALECTS if dialect.name == name), None)
