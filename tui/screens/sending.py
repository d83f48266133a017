"""The part of the main screen that sends: messages, those that wait, and what becomes of the conversation."""

from collections.abc import Collection
from dataclasses import dataclass

from textual import on

from cutaway.harness.events import Delivery
from cutaway.harness.ledger import Ledger
from cutaway.tui.compositing import QuickScreen
from cutaway.tui.drafts import Draft, draft_of
from cutaway.tui.outgoing import LATE, Outgoing, Waits
from cutaway.tui.widgets.prompt import Prompt
from cutaway.tui.widgets.queue_lane import DELIVERIES, DELIVERY_WORDS, QueueLane
from cutaway.tui.widgets.status import Status

HINT_SECONDS = 3.0
"""How long a hint stands in the status line, and how long a second ctrl+c quits."""


@dataclass(frozen=True, slots=True)
class Editing:
    """A waiting message that is in the prompt; `draft` is what stood there before."""

    at: int
    message: Waits
    draft: Draft


class SendingScreen(QuickScreen):
    """Takes what is written to the session, and lets what waits be changed until it goes out."""

    def __init__(self, send_keys: Collection[str], newline_keys: Collection[str]) -> None:
        super().__init__(classes="-wide -tall")  # the usual case: then it is styled once, not twice
        self.ledger = Ledger()
        self.outgoing = Outgoing()
        self.prompt = Prompt(send_keys=send_keys, newline_keys=newline_keys, id="prompt")
        self.lane, self.status = QueueLane(id="lane"), Status(id="status")
        self._editing: Editing | None = None

    def hint(self, text: str) -> None:
        """Say a short thing where it is seen, for a moment."""
        self.status.say(text, seconds=HINT_SECONDS)

    def show_queue(self) -> None:
        """Show what waits; one that went out while it was edited is edited no more."""
        messages = self.outgoing.waiting(self.ledger)
        if (editing := self._editing) is not None and editing.message.text not in [
            each.text for each in messages
        ]:
            self._editing = editing = None
            if self.prompt.text:
                self.hint("it went out as it was · enter sends a new message")
        self.lane.show(messages, self.outgoing.reason(self.ledger), editing.at if editing else None)
        self.prompt.queue_above = bool(messages)
        if self.lane.has_focus and not messages:
            self.prompt.focus()

    # messages

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        self._send(event.text, None)

    def _send(self, text: str, delivery: Delivery | None) -> None:
        """Send a message, or put it in the place of the one that is edited."""
        editing, self._editing = self._editing, None
        if editing is None:
            self.outgoing.send(text, delivery or LATE)
        elif self.outgoing.change(editing.message, editing.at, text, delivery):
            self.prompt.show_draft(editing.draft)
        else:
            self.outgoing.send(text, delivery or LATE)
            self.hint("it had gone out · this went as a new message")
        self.show_queue()

    def action_send(self) -> None:
        self.prompt.submit()

    def action_steer(self) -> None:
        self._send_sooner("after-tools")

    def action_send_at_once(self) -> None:
        self._send_sooner("now")

    def _send_sooner(self, delivery: Delivery) -> None:
        if not self.outgoing.busy:
            self.prompt.submit()  # nothing runs that it could join
        elif text := self.prompt.take():
            self._send(text, delivery)

    # those that wait

    def action_queue(self) -> None:
        """Give the lane the keys, or the prompt when the lane has them."""
        if self.lane.has_focus or not self.lane.display:
            if not self.lane.display:
                self.hint("no message is waiting")
            self.prompt.focus()
        else:
            self.lane.focus()

    def action_take_back(self) -> None:
        self.leave_editing()
        if (text := self.outgoing.take_back()) is not None:
            self.prompt.give_back(text)
            self.show_queue()
            self.prompt.focus()
        else:
            self.hint("no message is waiting")

    @on(Prompt.OlderWanted)
    def _take_back(self) -> None:
        self.action_take_back()

    def action_edit_waiting(self) -> None:
        """Bring the chosen message into the prompt; what stands there comes back afterwards."""
        at = self.lane.chosen
        if at < 0:
            self.hint("no message is waiting")
            return
        draft = self.prompt.draft if self._editing is None else self._editing.draft
        message = self.lane.messages[at]
        self._editing = Editing(at, message, draft)
        self.prompt.show_draft(draft_of(message.text))
        self.prompt.focus()
        self.show_queue()

    def leave_editing(self) -> bool:
        """Leave the message as it was and bring back what stood in the prompt; False when none is edited."""
        editing, self._editing = self._editing, None
        if editing is None:
            return False
        self.prompt.show_draft(editing.draft)
        self.show_queue()
        return True

    def action_change_delivery(self) -> None:
        """Let the chosen message go out sooner: after the work, after the tools, now, and round again."""
        at = self.lane.chosen
        if at < 0:
            self.hint("no message is waiting")
        elif (delivery := self.lane.messages[at].delivery) is None:
            self.hint(f"this one {self.outgoing.reason(self.ledger).removeprefix('held back · ')}")
        else:
            following = DELIVERIES[(DELIVERIES.index(delivery) + 1) % len(DELIVERIES)]
            self._deliver(at, following)

    def _deliver(self, at: int, delivery: Delivery) -> None:
        if self.outgoing.change(self.lane.messages[at], at, delivery=delivery):
            self.hint(f"goes out {DELIVERY_WORDS[delivery]}")
        else:
            self.hint("it has just gone out")

    # the conversation

    def action_compact(self) -> None:
        if self.outgoing.session is None or not self.ledger.interactions:
            self.hint("there is nothing to compact yet")
        elif self.outgoing.busy:
            self.hint("it works · compact when it is done")
        else:
            self.outgoing.session.compact()

    def action_undo_compaction(self) -> None:
        if self.outgoing.busy:
            self.hint("it works · undo the compaction when it is done")
        elif self.outgoing.session is None or not self.outgoing.session.undo_compaction():
            self.hint("there is no compaction to undo")
