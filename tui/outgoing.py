"""What the user sends: kept while no session is open, in order, and handed over when one is."""

from collections.abc import Sequence
from contextlib import suppress

from cutaway.harness.answers import Answer
from cutaway.harness.errors import UnknownRequest
from cutaway.harness.events import Mode
from cutaway.harness.ledger import Ledger
from cutaway.tui.live_session import LiveSession


class Outgoing:
    """The way down: each method does what can be done now, and loses nothing."""

    def __init__(self) -> None:
        self.session: LiveSession | None = None
        self.kept: list[str] = []

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

    def send(self, text: str) -> None:
        if self.session is None:
            self.kept.append(text)
        else:
            self.session.send(text)

    def steer(self, text: str) -> None:
        if self.session is None:
            self.kept.append(text)
        else:
            self.session.steer(text)

    def take_back(self) -> str | None:
        """The newest message that has not gone out; None when there is none."""
        if self.session is not None:
            return self.session.take_back()
        return self.kept.pop() if self.kept else None

    def answer(self, request_id: str, answer: Answer) -> None:
        """Answer a question; one that was closed in the same moment needs no answer any more."""
        if self.session is not None:
            with suppress(UnknownRequest):
                self.session.respond(request_id, answer)

    def set_mode(self, mode: Mode) -> None:
        if self.session is not None:
            self.session.set_mode(mode)

    def waiting(self, ledger: Ledger) -> tuple[Sequence[str], str]:
        """What waits, and for what."""
        if self.session is None:
            return self.kept, "goes out as soon as the session is open"
        if ledger.busy:
            return ledger.pending, "goes when this is done · ctrl+s sends now · alt+up takes back"
        return ledger.pending, "held back · goes with your next message · alt+up takes back"
