"""Read any bash line by tree-sitter's grammar: what runs in it, wherever it stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cutaway.harness.permissions.command_line import UNKNOWN, Part, Redirect, Word, redirect_kind

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN_NODES = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "command",
        "command_name",
        "word",
        "number",
        "string",
        "string_content",
        "raw_string",
        "concatenation",
        "redirected_statement",
        "file_redirect",
        "file_descriptor",
        "herestring_redirect",
    }
)
_WORDS = frozenset(
    {
        "word",
        "number",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
        "brace_expression",
        "variable_name",
    }
)
_COMMANDS = frozenset({"command", "declaration_command", "unset_command"})
_LOOPS = frozenset({"for_statement", "c_style_for_statement", "while_statement", "function_definition"})
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "|&", ";;", ";&", ";;&"})
_OBSTACLES = {
    "command_substitution": "a command substitution",
    "process_substitution": "a process substitution",
    "simple_expansion": "a variable",
    "expansion": "a variable",
    "heredoc_redirect": "a heredoc",
    "variable_assignment": "a variable assignment",
    "subshell": "a subshell",
    "compound_statement": "a group of commands",
    "comment": "a comment",
}
_HOME = frozenset({"$HOME", "${HOME}"})
_HERE = frozenset({"$PWD", "${PWD}"})
_MOVES = re.compile(rb"\b(?:cd|pushd|popd)\b")


class TreeReading(Struct, frozen=True):
    """What the grammar sees; `spans` and `separators` are comparable with a PlainReading's."""

    parts: tuple[Part, ...]
    spans: tuple[tuple[int, int], ...]
    separators: tuple[str, ...]
    obstacle: str
    broken: bool
    loops: bool


def read_tree(source: bytes, folder: str) -> TreeReading:
    """Parse bash source; `folder` is what $PWD stands for. Never raises: see `broken`."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(source).root_node
    nodes = list(_walk(root))
    outer = list(_walk(root, into_words=False))
    spans = [node for node in outer if node.type in _WORDS]
    strange = next((node.type for node in nodes if node.is_named and node.type not in _PLAIN_NODES), "")
    collector = _Collector(source, folder, assigned=any(n.type == "variable_assignment" for n in nodes))
    collector.visit(root)
    return TreeReading(
        tuple(draft.part() for draft in collector.drafts),
        tuple((node.start_byte, node.end_byte) for node in spans),
        tuple(node.type for node in outer if not node.is_named and node.type in _SEPARATORS),
        _OBSTACLES.get(strange, strange.replace("_", " ")),
        root.has_error,
        any(node.type in _LOOPS for node in nodes),
    )


def _walk(node: "Node", *, into_words: bool = True) -> Iterator["Node"]:
    """Visit nodes in the order of the source; a loop, since a hostile line may nest deeply."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        if into_words or here.type not in _WORDS:
            waiting.extend(reversed(here.children))


@dataclass(slots=True)
class _Draft:
    joined: str
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)

    def part(self) -> Part:
        return Part(tuple(self.words), tuple(self.redirects), self.joined)


@dataclass(slots=True)
class _Collector:
    """Gathers every simple command of a tree, in the order of the source."""

    source: bytes
    folder: str
    assigned: bool
    drafts: list[_Draft] = field(default_factory=list)

    def visit(self, node: "Node") -> None:
        if node.type in _COMMANDS:
            self._command(node)
        elif node.type == "redirected_statement":
            self._redirected(node)
        else:
            for child in node.children:
                self.visit(child)

    def _command(self, node: "Node") -> None:
        draft = _Draft(self._joined(node))
        self.drafts.append(draft)
        if node.type != "command":  # `export`, `unset` and the like are tokens of their own
            draft.words.append(Word(node.children[0].type))
        for child in node.children:
            self._piece(child, draft)

    def _redirected(self, node: "Node") -> None:
        first = len(self.drafts)
        redirects = [child for child in node.children if child.type.endswith("_redirect")]
        for child in node.children:
            if child not in redirects:
                self.visit(child)
        if len(self.drafts) == first:
            self.drafts.append(_Draft(self._joined(node)))
        owner = self.drafts[-1]
        for child in redirects:
            self._piece(child, owner)

    def _piece(self, node: "Node", draft: _Draft) -> None:
        """Add one child of a command to its draft, and look for commands inside it."""
        if node.type == "command_name":
            draft.words.append(self._word(node.children[0]))
        elif node.type in _WORDS:
            draft.words.append(self._word(node))
        elif node.type.endswith("_redirect"):
            self._redirect(node, draft)
            return
        self.visit_inside(node)

    def visit_inside(self, node: "Node") -> None:
        for child in node.children:
            self.visit(child)

    def _redirect(self, node: "Node", draft: _Draft) -> None:
        if node.type == "heredoc_redirect":
            body = next((self._text(child) for child in node.children if child.type == "heredoc_body"), "")
            draft.redirects.append(Redirect("text", Word(body)))
            for child in node.children:
                if child.type.endswith("_redirect"):
                    self._redirect(child, draft)
                elif child.type in _WORDS:
                    draft.words.append(self._word(child))
                else:
                    self.visit(child)
            return
        operator = next((child.type for child in node.children if set(child.type) & set("<>")), ">")
        targets = [self._word(child) for child in node.children if child.type in _WORDS]
        if targets:
            draft.redirects.append(Redirect(redirect_kind(operator, targets[0].text), targets[0]))
            draft.words.extend(targets[1:])  # `ls > out -l`: the rest are arguments
        self.visit_inside(node)

    def _joined(self, node: "Node") -> str:
        """Tell what stands before a command, from the text: the tree nests pipes and lists oddly."""
        before = self.source[: node.start_byte].rstrip(b" \t({!").decode("utf-8", "replace")
        if not before.strip():
            return ""
        pair = before[-2:]
        if pair in ("&&", "||", "|&"):
            return pair
        return before[-1] if before[-1] in "|&" else ";"

    def _text(self, node: "Node") -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _word(self, node: "Node") -> Word:
        raw = self._text(node)
        match node.type:
            case "word" | "number":
                if "{" in raw and raw != "{}":
                    return Word(UNKNOWN)
                return Word(_unescaped(raw), any(char in raw for char in "*?[~"))
            case "raw_string":
                return Word(raw[1:-1])
            case "string":
                return Word(self._string(node))
            case "variable_name":
                return Word(raw)
            case "concatenation":
                return self._concatenation(node, raw)
            case _:
                return Word(self._variable(raw))

    def _variable(self, raw: str) -> str:
        if raw in _HOME and not self.assigned:
            return str(Path("~").expanduser())
        if raw in _HERE and self.folder and not self.assigned and not _MOVES.search(self.source):
            return self.folder
        return UNKNOWN

    def _concatenation(self, node: "Node", raw: str) -> Word:
        if raw == "{}":
            return Word(raw)
        pieces = [self._word(child) if child.is_named else Word(self._text(child)) for child in node.children]
        if any(child.type == "word" and "{" in self._text(child) for child in node.children):
            return Word(UNKNOWN)  # braces may make many words of one
        return Word("".join(piece.text for piece in pieces), any(piece.expands for piece in pieces))

    def _string(self, node: "Node") -> str:
        """Join what a double-quoted string holds; the tree leaves line ends out, so gaps are text too."""
        text: list[str] = []
        at = node.start_byte + 1
        for child in node.children:
            if child.is_named and child.type != "string_content":
                text.append(_unquoted(self.source[at : child.start_byte]))
                text.append(self._variable(self._text(child)))
                at = child.end_byte
        text.append(_unquoted(self.source[at : node.end_byte - 1]))
        return "".join(text)


def _unescaped(raw: str) -> str:
    return re.sub(r"\\(.)", r"\1", raw.replace("\\\n", ""), flags=re.DOTALL)


def _unquoted(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").replace("\\\n", "")
    return re.sub(r'\\([$`"\\])', r"\1", text)
