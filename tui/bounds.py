"""The bounds of an interaction in words: what each is called, how far it is used, what was decided."""

from decimal import Decimal
from typing import assert_never

from cutaway.harness import events as e
from cutaway.harness.budgets import BudgetKind, shown
from cutaway.tui import format as fmt
from cutaway.tui.transcript.safe_text import count_of

TITLES: dict[e.LimitKind, str] = {
    "turns": "Tool-call limit",
    "cost": "Budget of money",
    "tokens": "Budget of tokens",
    "minutes": "Budget of time",
    "loop": "No progress",
    "context": "Nearly full context",
}
_NAMES: dict[e.LimitKind, str] = {
    "turns": "Limit",
    "cost": "Budget",
    "tokens": "Budget",
    "minutes": "Budget",
    "loop": "Loop",
    "context": "Context",
}
_DECIDERS: dict[e.Decider, str] = {
    "user": "you",
    "autopilot": "autopilot",
    "headless": "nobody to ask",
    "interrupt": "an interrupt",
}


def amount(kind: BudgetKind, value: Decimal) -> str:
    """An amount with its unit: $0.75, 12,000 tokens, 2.5 minutes."""
    number = shown(kind, value)
    match kind:
        case "cost":
            return f"${number}"
        case "tokens":
            return f"{number} tokens"
        case "minutes":
            return f"{number} minutes"
        case _:
            assert_never(kind)


def used(reached: e.LimitReached) -> str:
    """How far the bound is used."""
    match reached.kind:
        case "turns":
            return f"{reached.limit} of {reached.limit} used"
        case "loop":
            return f"{reached.used} times the same"
        case "context":
            tokens = fmt.tokens(int(reached.used or 0), estimated=True)
            window = f" of {fmt.tokens(int(reached.most))}" if reached.most else ""
            return f"{tokens}{window} tokens"
        case "cost":
            return f"{amount('cost', Decimal(reached.used))} of {amount('cost', Decimal(reached.most))} used"
        case kind:
            return f"{shown(kind, Decimal(reached.used))} of {amount(kind, Decimal(reached.most))} used"


def reached_words(reached: e.LimitReached) -> str:
    """What was met, in a sentence for the conversation."""
    match reached.kind:
        case "turns":
            waiting = count_of(len(reached.pending), "tool call")
            return f"{count_of(reached.limit, 'turn')} used; {waiting} of the model waiting."
        case "loop":
            return f"The model made the same calls {reached.used} times in a row, with the same results."
        case "context":
            if not reached.most:
                return f"The prompt has {used(reached)}; the model's window is not known."
            return f"{used(reached)} of the model's window used."
        case _:
            waiting = count_of(len(reached.pending), "tool call")
            more = f"; {waiting} of the model waiting" if reached.pending else ""
            return f"{used(reached)}{more}."


def decided_words(reached: e.LimitReached | None, decided: e.LimitDecided) -> str:
    """What was decided, and by whom; `reached` is the question, None where the log does not hold it."""
    kind = reached.kind if reached is not None else "turns"
    return f"{_NAMES[kind]}: {_went(kind, decided)}, decided by {_DECIDERS[decided.by]}."


def _went(kind: e.LimitKind, decided: e.LimitDecided) -> str:
    if decided.choice == "stop":
        return "stopped there"
    match kind:
        case "turns":
            return f"goes on to {decided.new_limit} turns"
        case "loop":
            return "goes on"
        case "context":
            choices = {"skip": "not compacted now", "autopilot": "compacts without asking from here"}
            return choices.get(decided.choice, "compacts")
        case _:
            return f"goes on to {amount(kind, Decimal(decided.new_most))}" if decided.new_most else "goes on"
