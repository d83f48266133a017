"""The queue lane: messages that wait, each with the moment at which it is to be delivered."""

from collections.abc import Callable, Iterator, Sequence
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

    def hand_out(self, *deliveries: Delivery) -> Iterator[str]:
        """Give away, oldest first, what waits for one of these moments.

        Each is given away before the lane is shown without it: a crash in between loses nothing.
        """
        handed = False
        while (found := next((one for one in self._waiting if one.delivery in deliveries), None)) is not None:
            self._waiting.remove(found)
            handed = True
            yield found.text
        if handed:
            self.show()

    @property
    def next_text(self) -> str:
        """The message that `first` would take out; raises ValueError when nothing waits."""
        return min(self._waiting, key=lambda one: _RANK[one.delivery]).text

    def first(self) -> str:
        """Take out what begins the next interaction; what came too late for the last one goes first."""
        found = min(self._waiting, key=lambda one: _RANK[one.delivery])
        self._waiting.remove(found)
        return found.text

    def show(self) -> None:
        """Record what waits now."""
        texts = tuple(one.text for one in self._waiting)
        self._emit(PendingMessages(texts, tuple(one.delivery for one in self._waiting)))
