"""Every action as data: bindings, the palette, the key sheet and the user's own keys are made from it."""

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding

Scope = Literal["app", "main", "prompt", "welcome", "failed", "help"]
Group = Literal["Conversation", "Session", "View", "Program"]

ACTIVE_TOGETHER: dict[Scope, tuple[Scope, ...]] = {
    "app": ("app", "main", "prompt", "welcome", "failed", "help"),
    "main": ("app", "main", "prompt"),
    "prompt": ("app", "main", "prompt"),
    "welcome": ("app", "welcome"),
    "failed": ("app", "failed"),
    "help": ("app", "help"),
}
"""Which scopes' keys may be pressed while a scope's are: two actions clash only within these."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a user can do, wherever it is offered.

    `id` is what a user's key file names; `key` holds one or more keys, by commas; `name` is the action
    with its target, as Textual runs it.
    """

    id: str
    key: str
    title: str
    tooltip: str
    scope: Scope
    name: str
    group: Group
    priority: bool = False
    palette: bool = True
    asks_by_key: bool = False
    """Whether its key only says the price first; the palette has said it, and gives the action True."""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key.strip() for key in self.key.split(","))


@dataclass(frozen=True, slots=True)
class Clash:
    """Two actions that wait for the same key at the same time."""

    key: str
    first: str
    second: str

    def __str__(self) -> str:
        return (
            f"Key {self.key} is given to both {self.first} and {self.second}; give one of them another key."
        )


ACTIONS: tuple[Action, ...] = (
    Action(
        "prompt.send", "enter", "Send", "While the model works it waits in the queue",
        "prompt", "screen.send", "Conversation", palette=False,
    ),
    Action(
        "prompt.newline", "ctrl+j,shift+enter,alt+enter", "New line", "In the message",
        "prompt", "screen.newline", "Conversation", palette=False,
    ),
    Action(
        "session.interrupt", "escape", "Interrupt", "Stops the model call and the running tools",
        "main", "screen.interrupt", "Session",
    ),
    Action(
        "session.break", "ctrl+c", "Copy, clear, interrupt, quit",
        "A selection, else the message, else the work; twice quits",
        "app", "app.break", "Session", priority=True, palette=False,
    ),
    Action(
        "session.mode", "shift+tab", "Next mode", "plan, interactive, accept-edits, autopilot",
        "main", "screen.cycle_mode", "Session", priority=True,
    ),
    Action(
        "session.steer", "ctrl+s", "Send after the tools",
        "Of this turn, not after the whole task",
        "main", "screen.steer", "Session", priority=True,
    ),
    Action(
        "session.send_at_once", "ctrl+n", "Send at once",
        "When the running tool is done; the calls behind it do not run",
        "main", "screen.send_at_once", "Session", priority=True,
    ),
    Action(
        "session.queue", "ctrl+l", "Waiting messages", "Gives them the keys, or takes them away",
        "main", "screen.queue", "Session",
    ),
    Action(
        "session.deliver", "alt+d", "Waiting message: sooner or later",
        "After this, after the tools, now: the newest, or the chosen one",
        "main", "screen.change_delivery", "Session",
    ),
    Action(
        "session.edit", "alt+e", "Waiting message: edit", "The newest, or the chosen one; it keeps its place",
        "main", "screen.edit_waiting", "Session",
    ),
    Action(
        "session.take_back", "alt+up", "Take back a queued message",
        "The newest one, into the prompt",
        "main", "screen.take_back", "Session",
    ),
    Action(
        "session.retry", "ctrl+r", "Retry now", "Skips the wait before the next attempt",
        "main", "screen.retry_now", "Session",
    ),
    Action(
        "session.answer", "ctrl+g", "Answer the question", "Gives it the keys",
        "main", "screen.answer", "Session",
    ),
    Action(
        "session.model", "alt+m", "Change the model", "From those that can be reached, each with its price",
        "main", "screen.model", "Session",
    ),
    Action(
        "session.effort", "alt+t", "Change the effort", "How much the model thinks",
        "main", "screen.effort", "Session",
    ),
    Action(
        "session.reload", "f10,alt+r", "Reload the instructions",
        "System text and AGENTS.md are read anew with your next message",
        "main", "screen.reload_instructions", "Session", asks_by_key=True,
    ),
    Action(
        "session.compact", "f8", "Compact the conversation",
        "A summary takes the place of the oldest messages",
        "main", "screen.compact", "Session",
    ),
    Action(
        "session.undo_compaction", "f9", "Undo the compaction",
        "The whole history is sent again",
        "main", "screen.undo_compaction", "Session",
    ),
    Action(
        "conversation.copy", "alt+c", "Copy the last answer",
        "As the model wrote it",
        "main", "screen.copy_answer", "Conversation",
    ),
    Action(
        "conversation.end", "ctrl+end", "Go to the end", "Follows the newest text again",
        "main", "screen.go_to_end", "Conversation", priority=True,
    ),
    Action(
        "view.conversation", "f2,alt+1,1", "Conversation", "What was said, and injected",
        "main", "screen.pane('conversation')", "View",
    ),
    Action(
        "view.calls", "f3,alt+2,2", "Tool calls", "What runs and what ran",
        "main", "screen.pane('calls')", "View",
    ),
    Action(
        "view.meter", "f4,alt+3,3", "Meter", "Tokens, cache and money",
        "main", "screen.pane('meter')", "View",
    ),
    Action(
        "view.next", "tab", "Next pane", "Moves the keys there",
        "main", "screen.next_pane", "View",
    ),
    Action(
        "view.inspector", "f5,i", "Inspect the turn",
        "The newest one, or the one under the cursor",
        "main", "screen.inspect", "View",
    ),
    Action(
        "view.thinking", "ctrl+o", "Fold or unfold thinking", "All of it",
        "main", "screen.fold_thinking", "View",
    ),
    Action(
        "view.search", "ctrl+f", "Search the conversation", "Finds text in all of it",
        "main", "screen.search", "View",
    ),
    Action(
        "app.palette", "ctrl+p", "Command palette", "Finds any action by its name",
        "app", "app.command_palette", "Program", priority=True, palette=False,
    ),
    Action(
        "app.keys", "f1,question_mark", "Keys", "Shows every key",
        "app", "app.show_keys", "Program",
    ),
    Action(
        "app.theme", "ctrl+t", "Next theme", "Changes the colours",
        "app", "app.next_theme", "Program", priority=True,
    ),
    Action(
        "app.quit", "ctrl+q", "Quit", "Saves the session and leaves",
        "app", "app.quit", "Program", priority=True,
    ),
    Action(
        "welcome.demo", "d", "Start the demo", "A recorded model on a small real project: no key, no network",
        "welcome", "screen.demo", "Program",
    ),
    Action(
        "welcome.again", "r", "Look again", "Search for keys and local servers once more",
        "welcome", "screen.look_again", "Program",
    ),
    Action(
        "welcome.quit", "q,escape", "Quit", "Leave",
        "welcome", "app.quit", "Program", palette=False,
    ),
    Action(
        "failed.again", "r", "Try again", "Open the session once more",
        "failed", "screen.again", "Program", palette=False,
    ),
    Action(
        "failed.quit", "q,escape", "Quit", "Leave",
        "failed", "app.quit", "Program", palette=False,
    ),
    Action(
        "help.close", "escape,q,enter", "Close", "Back to where you were",
        "help", "screen.close", "Program", palette=False,
    ),
)  # fmt: skip

OTHER_KEYS: dict[Group, tuple[tuple[str, str], ...]] = {
    "Conversation": (
        ("up  down", "At the first and the last line of the prompt: earlier messages"),
        ("page up  page down", "Scroll the conversation while you write"),
        ("j  k", "In a pane: walk from block to block, or from row to row"),
        ("space  enter  y", "On a block: fold it, inspect its turn, copy it"),
        ("/  n  N", "In the conversation: search, next and previous hit"),
    ),
}
"""Keys that belong to a widget and not to an action of the screen, for the key sheet."""


def action(identifier: str) -> Action:
    """Find an action by its id; raises KeyError."""
    for each in ACTIONS:
        if each.id == identifier:
            return each
    raise KeyError(identifier)


def bindings(scope: Scope) -> list[Binding]:
    """The bindings of a scope; the prompt handles its own keys as it reads every key anyway."""
    return [
        Binding(
            each.key,
            each.name,
            each.title,
            tooltip=each.tooltip,
            id=each.id,
            priority=each.priority,
            show=False,
        )
        for each in ACTIONS
        if each.scope == scope
    ]


def keys_of(identifier: str, overrides: Mapping[str, str]) -> tuple[str, ...]:
    """The keys that an action has now."""
    own = overrides.get(identifier)
    return tuple(key.strip() for key in own.split(",")) if own else action(identifier).keys


def clashes(overrides: Mapping[str, str]) -> list[Clash]:
    """Find every key that two actions of one place would both take, with the user's keys applied."""
    found: list[Clash] = []
    for position, first in enumerate(ACTIONS):
        for second in ACTIONS[position + 1 :]:
            if second.scope not in ACTIVE_TOGETHER[first.scope]:
                continue
            shared = set(keys_of(first.id, overrides)) & set(keys_of(second.id, overrides))
            found.extend(Clash(key, first.id, second.id) for key in sorted(shared))
    return found


def unknown_actions(overrides: Mapping[str, str], of_widgets: Collection[str] = ()) -> list[str]:
    """Say for each override whose action does not exist which one is nearest.

    `of_widgets` are the ids of keys that widgets bind for themselves; they can be given other keys too.
    """
    names = [*(each.id for each in ACTIONS), *of_widgets]
    said = []
    for identifier in overrides:
        if identifier not in names:
            near = difflib.get_close_matches(identifier, names, 1)
            hint = f" Did you mean {near[0]}?" if near else " `f1` shows all actions."
            said.append(f"keys.{identifier}: there is no such action.{hint}")
    return said


KEY_NAMES = {"question_mark": "?", "escape": "esc", "pageup": "page up", "pagedown": "page down"}


def key_label(key: str) -> str:
    """A key as it is written on the screen."""
    return KEY_NAMES.get(key, key)
