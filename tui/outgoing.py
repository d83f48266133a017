"""What the user sends: kept while no session is open, in order, and handed over when one is."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from cutaway.harness.answers import Answer
from cutaway.harness.errors import UnknownRequest
from cutaway.harness.events import Delivery, Mode, PendingMessages
from cutaway.harness.ledger import Ledger
from cutaway.tui.live_session import LiveSession

LATE: Delivery = "after-interaction"


class Waits(NamedTuple):
    """A message that has not gone out; `delivery` is None where nothing runs that it could wait for."""

    text: str
    delivery: Delivery | None = None


class Outgoing:
    """The way down: each method does what can be done now, and loses nothing."""

    def __init__(self) -> None:
        self.session: LiveSession | None = None
        self.kept: list[str] = []
        self._given = ""

    @property
    def busy(self) -> bool:
        """True while an interaction runs."""
        return self.session is not None and self.session.busy

    def attach(self, session: LiveSession) -> None:
        """Hand over what was written before the session was open."""
        self.session = session
        waiting, self.kept = self.kept, []
        for text in waiting:
            session.send(text)

    def give(self, text: str) -> None:
        """Send what the command line says, which will say it again when this start fails."""
        self._given = text
        self.send(text)

    @property
    def typed(self) -> list[str]:
        """What the user sent from the prompt and no session has taken."""
        return [text for text in self.kept if text != self._given]

    def send(self, text: str, delivery: Delivery = LATE) -> None:
        if self.session is None:
            self.kept.append(text)
        else:
            self.session.send(text, delivery)

    def take_back(self) -> str | None:
        """The newest message that has not gone out; None when there is none."""
        if self.session is not None:
            return self.session.take_back()
        return self.kept.pop() if self.kept else None

    def change(self, was: Waits, at: int, text: str | None = None, delivery: Delivery | None = None) -> bool:
        """Change a waiting message that was seen at a place; False when it has gone out meanwhile."""
        texts = self._texts()
        places = [place for place, each in enumerate(texts) if each == was.text]
        if not places:
            return False
        place = at if at in places else places[0]
        if self.session is not None:
            self.session.change_waiting(place, text, delivery)
        elif text is not None:
            self.kept[place] = text
        return True

    def _texts(self) -> Sequence[str]:
        """What waits at this moment: the screen's ledger may be a few records behind."""
        if self.session is None:
            return self.kept
        for record in reversed(self.session.records):
            if isinstance(record.event, PendingMessages):
                return record.event.messages
        return ()

    def answer(self, request_id: str, answer: Answer) -> None:
        """Answer a question; one that was closed in the same moment needs no answer any more."""
        if self.session is not None:
            with suppress(UnknownRequest):
                self.session.respond(request_id, answer)

    def set_mode(self, mode: Mode) -> None:
        if self.session is not None:
            self.session.set_mode(mode)

    def waiting(self, ledger: Ledger) -> Sequence[Waits]:
        """What waits, the oldest first."""
        if self.session is None:
            return [Waits(text) for text in self.kept]
        if not ledger.busy:
            return [Waits(text) for text in ledger.pending]
        known = dict(enumerate(ledger.pending_deliveries))
        return [Waits(text, known.get(at, LATE)) for at, text in enumerate(ledger.pending)]

    def reason(self, ledger: Ledger) -> str:
        """What all of them wait for; '' while each has its own moment."""
        if self.session is None:
            return "goes out as soon as the session is open"
        return "" if ledger.busy else "held back · goes with your next message"
