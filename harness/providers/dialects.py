"""Where providers and their ways of speaking differ, as data: one value a provider, no code."""

from typing import Literal

from msgspec import Struct

Api = Literal["chat", "responses", "anthropic"]
"""Chat Completions and its many compatible servers, OpenAI's Responses, Anthropic's Messages."""


class Dialect(Struct, frozen=True, kw_only=True):
    """How one provider speaks, and where it is found.

    `key_variable` is the environment variable of its key, `token_variable` of one that goes as a bearer
    token whatever the API's own way is; a local server may do without. `address_variable` names the
    address of a provider that each customer has at another one, or that can be moved. `default_model`
    is asked for when the user named none ('' asks the server what it has). `start_hint` tells how
    to start a local server. `custom` marks a provider of the user's own settings.
    """

    name: str
    title: str
    base_url: str
    api: Api = "chat"
    key_variable: str = ""
    token_variable: str = ""
    address_variable: str = ""
    local: bool = False
    custom: bool = False
    default_model: str = ""
    start_hint: str = ""
    prices: str = ""
    """Whose prices are asked, by their name in the price data; '' is this provider's own name."""
    model_names: str = ""
    """How the names of its models begin, as a pattern, where the price data has others' among them."""

    root: str = "/v1"
    """What comes between the address and the API's path where the address names no version."""
    api_version: str = ""
    """Sent as `?api-version=` where the address names no version."""
    version_variable: str = ""
    lists_models: bool = True
    models_query: str = ""
    """Asks for the whole list where a part comes otherwise."""
    key_header: str = ""
    """The header that carries the bare key; '' is the API's own way."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers; in their values `$NAME` and `${NAME}` stand for variables of the environment."""

    max_tokens_field: str = "max_tokens"
    stream_options: bool = True
    cache_key_field: str = ""
    """Where the name of the session goes, so that requests with one prefix meet in one cache."""
    parallel_calls: bool | None = None
    """What is said about several calls in one answer; None says nothing."""
    empty_content: Literal["", None] = None
    """What stands for no text beside tool calls."""
    effort: Literal["reasoning_effort", "reasoning.effort", "none"] = "reasoning_effort"
    efforts: tuple[str, ...] = ()
    """Levels that it knows, rising; another becomes the nearest below. None listed: sent as set."""

    reasoning_keys: tuple[str, ...] = ("reasoning_content", "reasoning")
    """Names under which thinking arrives, the preferred first; it goes back under the one it came by."""
    reasoning_back: bool = True
    message_extras: tuple[str, ...] = ()
    """Lists beside the words that must go back as they came; their thoughts then go back in them only."""
    call_extras: tuple[str, ...] = ()
    """Fields of a call, or of a message, that must go back as they came."""
    unsigned_models: str = ""
    """A pattern of models that refuse an answer's first call without these; '' for none."""
    unsigned_call: str = ""
    """JSON fields for such a call that lacks them, having come from another model."""

    call_id_length: int = 0
    """Ids of calls must be exactly so many letters and digits; 0 for any."""
    call_id_most: int = 0
    """Characters that an id of a call may have; 0 for any number."""
    names_results: bool = False
    """A tool's result must carry the tool's name."""
    after_results: str = ""
    """What the model is made to have said between a result and the user's next message, where it must."""


OPENAI = Dialect(
    name="openai",
    title="OpenAI",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    default_model="gpt-5.1",
    max_tokens_field="max_completion_tokens",
    cache_key_field="prompt_cache_key",
    call_id_most=40,
)
RESPONSES = Dialect(
    name="openai-responses",
    title="OpenAI (Responses)",
    api="responses",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    default_model="gpt-5.1",
    prices="openai",
    max_tokens_field="max_output_tokens",
    effort="reasoning.effort",
)
ANTHROPIC = Dialect(
    name="anthropic",
    title="Anthropic",
    api="anthropic",
    base_url="https://api.anthropic.com",
    key_variable="ANTHROPIC_API_KEY",
    token_variable="ANTHROPIC_AUTH_TOKEN",
    address_variable="ANTHROPIC_BASE_URL",
    default_model="claude-sonnet-5-5",
    models_query="limit=1000",
)
CUSTOM = Dialect(
    name="custom",
    title="a server of your own",
    base_url="",
    key_variable="OPENAI_API_KEY",
)
SCRIPTED = Dialect(name="scripted", title="a script", base_url="", local=True)

# Addresses, variables and habits are those of each provider's documentation, as of 2026-11. The order
# is that in which they are looked for.
DIALECTS: tuple[Dialect, ...] = (
    OPENAI,
    ANTHROPIC,
    RESPONSES,
    Dialect(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        default_model="openai/gpt-5.1",
        effort="reasoning.effort",
        efforts=("none", "minimal", "low", "medium", "high", "xhigh"),
        reasoning_keys=("reasoning", "reasoning_content"),
        message_extras=("reasoning_details",),
    ),
    Dialect(
        name="gemini",
        title="Google Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variable="GEMINI_API_KEY",
        default_model="gemini-3.8-flash",
        prices="google",
        model_names="gem",
        efforts=("none", "minimal", "low", "medium", "high"),
        call_extras=("extra_content",),
        unsigned_models=r"gemini-(?![12]\b)",
        unsigned_call='{"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}',
        names_results=True,
    ),
    Dialect(
        name="mistral",
        title="Mistral",
        base_url="https://api.mistral.ai/v1",
        key_variable="MISTRAL_API_KEY",
        default_model="mistral-medium-latest",
        stream_options=False,  # the usage always comes, and an unknown field is refused with 422
        empty_content="",
        effort="none",
        reasoning_back=False,
        call_id_length=9,
        names_results=True,
        after_results="I have read the results.",
    ),
    Dialect(
        name="groq",
        title="Groq",
        base_url="https://api.groq.com/openai/v1",
        key_variable="GROQ_API_KEY",
        default_model="openai/gpt-oss-120b",
        max_tokens_field="max_completion_tokens",
        efforts=("none", "low", "medium", "high"),
        reasoning_keys=("reasoning",),
        reasoning_back=False,
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
        name="azure",
        title="Azure OpenAI",
        base_url="",
        key_variable="AZURE_OPENAI_API_KEY",
        address_variable="AZURE_OPENAI_ENDPOINT",
        root="/openai/deployments/{model}",
        api_version="2024-10-21",
        version_variable="OPENAI_API_VERSION",
        lists_models=False,  # the deployments of a customer are listed by another service
        key_header="api-key",
        max_tokens_field="max_completion_tokens",
        cache_key_field="prompt_cache_key",
        call_id_most=40,
    ),
    Dialect(
        name="ollama",
        title="Ollama",
        base_url="http://127.0.0.1:11434/v1",
        key_variable="OLLAMA_API_KEY",
        address_variable="OLLAMA_HOST",
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
