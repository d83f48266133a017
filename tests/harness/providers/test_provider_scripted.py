"""The scripted provider: the same seam as a real one, and honest about being none."""

from pathlib import Path

import msgspec
import pytest

from cutaway.harness.errors import (
    AuthenticationFailed,
    ConfigError,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    StreamBroken,
)
from cutaway.harness.messages import AssistantMessage, ToolCall, ToolResult, UserMessage
from cutaway.harness.providers.base import (
    CallDelta,
    Chunk,
    Completed,
    Connected,
    Request,
    TextDelta,
    ThinkingDelta,
)
from cutaway.harness.providers.dialects import SCRIPTED
from cutaway.harness.providers.openai_chat import encode_chat
from cutaway.harness.providers.scripted import (
    Script,
    ScriptedCall,
    ScriptedError,
    ScriptedProvider,
    Step,
    load_script,
)
from cutaway.harness.usage import Usage
from tests.harness.providers.kit import HELLO, FakeClock, drain, request


def player(*steps: Step, rate: float = 0.0, clock: FakeClock | None = None) -> ScriptedProvider:
    return ScriptedProvider(Script(steps=steps, rate=rate), count=len, clock=clock or FakeClock())


async def ask(provider: ScriptedProvider, asked: Request | None = None) -> list[Chunk]:
    asked = asked or request()
    return await drain(provider.stream(asked, provider.encode(asked)))


def completed(chunks: list[Chunk]) -> Completed:
    last = chunks[-1]
    assert isinstance(last, Completed)
    return last


async def test_a_step_is_streamed_in_pieces_and_then_whole() -> None:
    step = Step(text="I will look at it.", thinking="a file", calls=(ScriptedCall("read", {"path": "é"}),))
    chunks = await ask(player(step))
    assert isinstance(chunks[0], Connected)
    assert "".join(c.text for c in chunks if isinstance(c, TextDelta)) == step.text
    assert "".join(c.text for c in chunks if isinstance(c, ThinkingDelta)) == "a file"
    assert "".join(c.arguments for c in chunks if isinstance(c, CallDelta)) == '{"path": "é"}'
    last = completed(chunks)
    assert last.message.tool_calls == (ToolCall("call_1", "read", '{"path": "é"}'),)
    assert (last.simulated, last.stop_reason) == (True, "tool_calls")
    assert msgspec.json.decode(last.raw, type=Step) == step


async def test_ids_go_on_from_the_conversation() -> None:
    past = AssistantMessage("", (ToolCall("call_1", "read", "{}"),))
    asked = request(HELLO, past, ToolResult("call_1", "read", "ok"))
    last = completed(await ask(player(Step(calls=(ScriptedCall("read"), ScriptedCall("read")))), asked))
    assert [call.id for call in last.message.tool_calls] == ["call_2", "call_3"]


async def test_the_body_is_the_one_that_a_server_would_be_sent() -> None:
    assert player().encode(request()) == encode_chat(request(), SCRIPTED, "scripted")


async def test_usage_is_counted_block_by_block_with_a_simulated_prefix_cache() -> None:
    """The counting function here counts characters, so the numbers can be seen in the texts."""
    provider = player(Step(text="12345", thinking="123"), Step(text="1"), Step(text="1"))
    first, second = request(UserMessage("a" * 1500)), request(UserMessage("a" * 1500), HELLO)
    stable = sum(tool.tokens for tool in first.tools) + sum(map(len, first.system))
    answer = completed(await ask(provider, first)).usage
    assert answer == Usage(fresh=stable + 1500, output=8, reasoning=3)
    read = (stable + 1500) // 128 * 128
    assert completed(await ask(provider, second)).usage == Usage(
        fresh=stable + 1500 + len(HELLO.text) - read, cache_read=read, output=1
    )
    other = request(UserMessage("b"), system=("Another prompt.",), model="z")
    usage = completed(await ask(provider, other)).usage
    assert usage is not None
    assert usage.cache_read == 0


async def test_a_rate_paces_the_stream_by_the_clock() -> None:
    clock = FakeClock()
    chunks = await ask(player(Step(text="x" * 100, delay=2.0), rate=50.0, clock=clock))
    assert clock.seconds == pytest.approx(2.0 + 100 / 50)
    timings = completed(chunks).timings
    assert timings.first_token == pytest.approx(2000)
    assert timings.total == pytest.approx(4000)


async def test_a_script_that_is_over_says_so() -> None:
    provider = player(Step(text="only"))
    await ask(provider)
    with pytest.raises(RequestRejected, match="has 1 steps and this is request 2"):
        await ask(provider)
    assert provider.played == 2


async def test_a_step_can_be_chosen_from_the_request() -> None:
    def choose(asked: Request, number: int) -> Step:
        return Step(text=f"{number}: {len(asked.messages)} messages")

    provider = ScriptedProvider(Script(), count=len, choose=choose)
    assert completed(await ask(provider)).message.text == "0: 1 messages"
    assert completed(await ask(provider, request(HELLO, HELLO))).message.text == "1: 2 messages"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ScriptedError("auth"), AuthenticationFailed),
        (ScriptedError("rate-limited", retry_after=2.0), RateLimited),
        (ScriptedError("overloaded", "busy", 529), Overloaded),
    ],
)
async def test_a_step_can_fail(error: ScriptedError, kind: type[ProviderError]) -> None:
    with pytest.raises(kind) as caught:
        await ask(player(Step(error=error)))
    assert (error.message or "The script asked") in str(caught.value)


async def test_a_broken_step_shows_its_words_first() -> None:
    chunks: list[Chunk] = []
    provider = player(Step(text="half", error=ScriptedError("broken")))
    with pytest.raises(StreamBroken) as caught:
        async for chunk in provider.stream(request(), provider.encode(request())):
            chunks.append(chunk)
    assert TextDelta("half") in chunks
    assert caught.value.partial == AssistantMessage("half", cut=True)


async def test_a_cut_step_leaves_its_calls_out() -> None:
    last = completed(await ask(player(Step(text="so", calls=(ScriptedCall("a", '{"b'),), cut=True))))
    assert (last.message, last.stop_reason) == (AssistantMessage("so", cut=True), "length")


def test_scripts_are_read_from_json_and_toml(tmp_path: Path) -> None:
    script = Script(steps=(Step(text="é", calls=(ScriptedCall("a", {"b": 1}),)),), rate=30.0)
    json_file, toml_file = tmp_path / "s.json", tmp_path / "s.toml"
    json_file.write_bytes(msgspec.json.encode(script))
    toml_file.write_text(
        'rate = 30.0\n[[steps]]\ntext = "é"\n[[steps.calls]]\nname = "a"\narguments = { b = 1 }\n',
        encoding="utf-8",
    )
    assert load_script(json_file) == load_script(toml_file) == script


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("s.json", '{"steps":[{"txt":"a"}]}', r"s\.json is not a script.*txt.*steps"),
        ("s.json", "{", r"s\.json is not a script"),
        ("s.toml", "steps = 3", r"s\.toml is not a script"),
    ],
)
def test_a_wrong_script_names_the_file_and_the_place(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError, match=words):
        load_script(tmp_path / name)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_script(tmp_path / "missing.json")
