"""The queue lane: messages that wait, each with the moment at which it is to be delivered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cutaway.harness.events import Delivery, Event, PendingMessages

_RANK: dict[Delivery, int] = {"now": 0, "after-tools": 1, "after-interaction": 2}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that has not been delivered."""

    text: str
    delivery: Delivery


class Lane:
    """Holds what waits, oldest first; every change is in the log, so that a crash loses no message."""

    def __init__(
        self, emit: Callable[[Event], object], texts: Sequence[str] = (), deliveries: Sequence[Delivery] = ()
    ) -> None:
        self._emit = emit
        late: Delivery = "after-interaction"
        known = dict(enumerate(deliveries))
        self._waiting = [Waiting(text, known.get(index, late)) for index, text in enumerate(texts)]

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def urgent(self) -> bool:
        """True when a message is to be delivered as soon as the running tool is done."""
        return any(one.delivery == "now" for one in self._waiting)

    def put(self, text: str, delivery: Delivery) -> None:
        """Let a message wait behind the others."""
        self._waiting.append(Waiting(text, delivery))
        self.show()

    def put_quietly(self, text: str) -> None:
        """Let a message wait that is taken out at once: nobody has to see it wait."""
        self._waiting.append(Waiting(text, "after-interaction"))

    def take_back(self) -> str | None:
        """Take the newest message out again, so that it can be edited; None when nothing waits."""
        if not self._waiting:
            return None
        text = self._waiting.pop().text
        self.show()
        return text

    def replace(self, index: int, text: str | None = None, delivery: Delivery | None = None) -> None:
        """Change a waiting message, or when it is delivered; raises IndexError when it has gone."""
        old = self._waiting[index]
        self._waiting[index] = Waiting(old.text if text is None else text, delivery or old.delivery)
        self.show()

    def next_text(self, *deliveries: Delivery) -> str | None:
        """The message that is next of those that wait for these moments, or for any; None when none does.

        What came too late for the last interaction goes first.
        """
        fitting = [one for one in self._waiting if not deliveries or one.delivery in deliveries]
        return min(fitting, key=lambda one: _RANK[one.delivery]).text if fitting else None

    def take(self, text: str) -> bool:
        """Take out the message of that text that is next; False when none waits any more.

        The lane is not shown without it: that is for after it was given away, so that a crash in between
        loses nothing.
        """
        fitting = [one for one in self._waiting if one.text == text]
        if not fitting:
            return False
        self._waiting.remove(min(fitting, key=lambda one: _RANK[one.delivery]))
        return True

    def put_foremost(self, text: str) -> None:
        """Let a waiting message go before all others, also those that are sent while hooks look at it."""
        if self.take(text):
            self._waiting.insert(0, Waiting(text, "now"))
            self.show()

    def show(self) -> None:
        """Record what waits now."""
        texts = tuple(one.text for one in self._waiting)
        self._emit(PendingMessages(texts, tuple(one.delivery for one in self._waiting)))
