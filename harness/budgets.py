"""Budgets beside the tool-call limit: money, tokens and minutes that a run of cutaway may use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from cutaway.harness.ledger import Ledger

BudgetKind = Literal["cost", "tokens", "minutes"]

NEAR = Decimal("0.8")
"""The share of a budget from which on the model is told that it runs out."""

NEXT = Decimal("1.5")
"""How much larger the next budget is that the question offers, as with the tool-call limit."""

UNPRICED = (
    "No price is known of {model}, so the budget in USD does not bound it. Set one in config.toml under "
    '[models."{model}".price], or bound it in tokens.'
)

UNITS: dict[BudgetKind, str] = {"cost": "USD", "tokens": "tokens", "minutes": "minutes"}


class Spent(Struct, frozen=True):
    """How far one budget is used; amounts are in its unit."""

    kind: BudgetKind
    used: Decimal
    most: Decimal

    @property
    def words(self) -> str:
        return f"{shown(self.kind, self.used)} of {shown(self.kind, self.most)} {UNITS[self.kind]}"


def shown(kind: BudgetKind, amount: Decimal) -> str:
    """Write an amount without its unit: cents, whole tokens, tenths of a minute."""
    match kind:
        case "cost":
            return f"{amount:.2f}" if amount >= 1 or not amount else f"{amount:.4f}"
        case "tokens":
            return f"{int(amount):,}"
        case "minutes":
            return f"{amount:.1f}"


@dataclass(slots=True)
class Budgets:
    """What may be used from the opening of a session on; nothing is bounded that is not in `most`.

    Minutes are those in which cutaway worked: waiting for a person does not count. `now` gives seconds.
    """

    now: Callable[[], float]
    most: dict[BudgetKind, Decimal] = field(default_factory=dict)
    worked: float = 0.0
    _began: float | None = None
    _waited: float = 0.0
    """Seconds of the running interaction in which a person was asked."""
    _asked: int = 0
    """Questions that are open; several may be at once, and their time counts once."""
    _asked_at: float = 0.0
    _cost_before: Decimal = Decimal(0)
    _tokens_before: int = 0
    _told: set[tuple[BudgetKind, Decimal]] = field(default_factory=set)
    _unpriced: set[str] = field(default_factory=set)

    def open(self, ledger: Ledger) -> None:
        """Begin to count: what a resumed session has spent before is paid for."""
        self._cost_before = ledger.spending.known_cost
        self._tokens_before = _tokens(ledger)

    def start(self) -> None:
        """An interaction begins."""
        self._began, self._waited = self.now(), 0.0

    def stop(self) -> None:
        """An interaction has ended."""
        self.worked, self._began, self._waited = self._seconds(), None, 0.0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While the block runs a person is asked, whose time does not count."""
        if not self._asked:
            self._asked_at = self.now()
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1
            if not self._asked:
                self._waited += max(0.0, self.now() - self._asked_at)

    def met(self, ledger: Ledger) -> Spent | None:
        """The first budget that is used up, if one is."""
        return next((spent for spent in self._spent(ledger) if spent.used >= spent.most), None)

    def near(self, ledger: Ledger) -> list[Spent]:
        """Budgets that run out and of which the model has not been told yet; they count as told then."""
        found = []
        for spent in self._spent(ledger):
            key = (spent.kind, spent.most)
            if spent.used >= spent.most * NEAR and key not in self._told:
                self._told.add(key)
                found.append(spent)
        return found

    def warning(self, model: str, priced: bool) -> str:
        """Say once of a model without a price that money cannot bound it; '' when it can."""
        if priced or "cost" not in self.most or model in self._unpriced:
            return ""
        self._unpriced.add(model)
        return UNPRICED.format(model=model)

    def next(self, kind: BudgetKind) -> Decimal:
        """The budget that the question offers next."""
        larger = self.most[kind] * NEXT
        return larger.to_integral_value() if kind == "tokens" else larger.quantize(Decimal("0.01"))

    def raise_to(self, kind: BudgetKind, most: Decimal) -> None:
        self.most[kind] = most

    def _spent(self, ledger: Ledger) -> list[Spent]:
        used: dict[BudgetKind, Decimal] = {
            "cost": ledger.spending.known_cost - self._cost_before,
            "tokens": Decimal(_tokens(ledger) - self._tokens_before),
            "minutes": Decimal(self._seconds() / 60).quantize(Decimal("0.001")),
        }
        return [Spent(kind, used[kind], most) for kind, most in self.most.items()]

    def _seconds(self) -> float:
        running = 0.0 if self._began is None else self.now() - self._began - self._waited
        return self.worked + max(0.0, running)


def _tokens(ledger: Ledger) -> int:
    """All tokens that were sent and received; those read from a cache are sent too."""
    return ledger.spending.usage.input + ledger.spending.usage.output
