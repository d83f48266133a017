"""Build the next request from the conversation, and name every part of it by its digest.

Order on the wire: tools, system, instruction files, workspace, then the messages. The prompt only
grows, so the blocks of messages that were there before are not computed again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import msgspec

from cutaway.harness.blocks import Block, Origin, same_objects, text_digest
from cutaway.harness.events import SystemPart, ToolDefinition
from cutaway.harness.history import Conversation
from cutaway.harness.messages import AssistantMessage, Message, ToolResult, UserMessage
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.providers.base import Params, Request
from cutaway.tools.base import AnyTool


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """A request and its blocks: the first `kept` are those of the request before.

    `lasts` gives for each message of the request the index of its last block.
    """

    request: Request
    blocks: list[Block]
    kept: int
    lasts: tuple[int, ...] = ()


async def define_tool(tool: AnyTool, counter: TokenCounter) -> ToolDefinition:
    """Freeze a tool's description as the model will be told it, with its tokens on every turn."""
    spec = tool.spec
    schema = json.dumps(spec.input_schema, ensure_ascii=False, separators=(",", ":"))
    tokens = await counter.count(f"{spec.name}\n{spec.model_description}\n{schema}")
    return ToolDefinition(spec.name, spec.model_description, schema, tokens)


class PromptBuilder:
    """Keeps the blocks of the last request, so that each turn costs only what is new."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._messages: list[Message] = []
        self._said: list[list[Block]] = []
        self._last: list[Block] = []
        self._fixed: dict[ToolDefinition | SystemPart, Block] = {}

    async def build(
        self, conversation: Conversation, model: str, params: Params, more: Sequence[Message] = ()
    ) -> BuiltPrompt:
        """Make the request for everything that has been said; counts new text in a worker thread.

        `more` are messages of a side call behind the prompt, which are no part of the conversation.
        """
        said = await self._counted(conversation.messages)
        if more:
            said = said + [await self._message_blocks(message) for message in more]
        blocks = self._stable(conversation)
        ends = accumulate(map(len, said), initial=len(blocks) - 1)
        blocks += chain.from_iterable(said)
        lasts = tuple(ends)[1:]
        kept = _common(self._last, blocks)
        request = Request(
            model,
            tuple(conversation.tools),
            tuple(part.content for part in conversation.parts),
            (*conversation.messages, *more),
            params,
        )
        return BuiltPrompt(request, blocks, kept, lasts)

    def _stable(self, conversation: Conversation) -> list[Block]:
        """The blocks of tools and system parts, each made once."""
        for tool in conversation.tools:
            if tool not in self._fixed:
                self._fixed[tool] = tool_block(tool)
        for part in conversation.parts:
            if part not in self._fixed:
                self._fixed[part] = _part_block(part)
        tools = [self._fixed[tool] for tool in conversation.tools]
        return tools + [self._fixed[part] for part in conversation.parts]

    async def sizes(self, conversation: Conversation) -> tuple[int, list[int]]:
        """Tokens of the stable part with the tools, and of each message, as counted by us."""
        stable = sum(tool.tokens for tool in conversation.tools)
        stable += sum(part.tokens for part in conversation.parts)
        said = await self._counted(conversation.messages)
        return stable, [sum(block.tokens for block in blocks) for blocks in said]

    async def _counted(self, messages: Sequence[Message]) -> list[list[Block]]:
        """The blocks of each message; those of messages that stood there before are not made again."""
        same = same_objects(self._messages, messages)
        del self._said[same:], self._messages[same:]
        for message in messages[same:]:
            self._said.append(await self._message_blocks(message))
            self._messages.append(message)
        return self._said

    async def blocks_of(self, request: Request) -> list[Block]:
        """The blocks of a request that is no part of the conversation."""
        blocks = [tool_block(tool) for tool in request.tools]
        blocks += [await self._block(Draft("system", "aside", text)) for text in request.system]
        for message in request.messages:
            blocks += await self._message_blocks(message)
        return blocks

    def sent(self, blocks: list[Block]) -> None:
        """Remember the blocks of the request that is in the log last: the next one is told against it."""
        self._last = blocks

    async def _message_blocks(self, message: Message) -> list[Block]:
        return [await self._block(draft) for draft in drafts_of(message)]

    async def _block(self, draft: "Draft") -> Block:
        return draft.counted(await self._counter.count(draft.text))


@dataclass(frozen=True, slots=True)
class Draft:
    """A block before its tokens are counted."""

    origin: Origin
    label: str
    text: str
    parts: int = 1
    calls: int = 0

    def counted(self, tokens: int) -> Block:
        digest = text_digest(self.text)
        return Block(self.origin, self.label, digest, tokens, parts=self.parts, calls=self.calls)


def drafts_of(message: Message) -> list[Draft]:
    """The blocks that a message makes, in wire order."""
    match message:
        case UserMessage():
            typed = int(bool(message.text) or not message.notes)
            notes = [Draft("note", note.source, note.text, parts=0) for note in message.notes[:-1]]
            notes += [Draft("note", note.source, note.text, parts=1 - typed) for note in message.notes[-1:]]
            return [*notes, Draft("user", "user", message.text, parts=typed)]
        case AssistantMessage():
            label = ", ".join(call.name for call in message.tool_calls) or "answer"
            calls = len(message.tool_calls)
            parts = calls + len(message.reasoning) + bool(message.text.strip())
            return [Draft("assistant", label, _assistant_text(message), parts, calls)]
        case ToolResult():
            return [Draft("tool-result", message.name, message.text)]


def tool_block(tool: ToolDefinition) -> Block:
    """The block of a tool's description, whose tokens were counted when it was first offered."""
    text = msgspec.json.encode([tool.name, tool.description, tool.input_schema]).decode()
    return Block("tool", tool.name, text_digest(text), tool.tokens)


def _assistant_text(message: AssistantMessage) -> str:
    parts = [part.text for part in message.reasoning]
    if message.text:
        parts.append(message.text)
    parts += [f"{call.name}({call.arguments})" for call in message.tool_calls]
    return "\n".join(parts)


def _part_block(part: SystemPart) -> Block:
    return Block(part.origin, part.name, text_digest(part.content), part.tokens)


def _common(before: list[Block], after: list[Block]) -> int:
    shared = min(len(before), len(after))
    return next((at for at in range(same_objects(before, after), shared) if before[at] != after[at]), shared)
