"""Which actions of the main screen mean something now."""

from cutaway.harness.ledger import Ledger
from cutaway.tui.outgoing import Outgoing


def offered(
    action: str, outgoing: Outgoing, ledger: Ledger, *, asking: bool, writing: bool, begun: bool
) -> bool:
    """Tell whether an action would do something.

    `asking` while a question is open, `writing` while the prompt has the keys, `begun` once the
    conversation holds anything.
    """
    match action:
        case "steer" | "send_at_once":
            return outgoing.busy
        case "interrupt":
            return outgoing.busy or not writing
        case "take_back" | "edit_waiting" | "queue":
            return bool(outgoing.waiting(ledger))
        case "change_delivery":
            return outgoing.busy and bool(outgoing.waiting(ledger))
        case "compact":
            return outgoing.session is not None and bool(ledger.interactions) and not outgoing.busy
        case "effort":
            return outgoing.session is not None
        case "reload_instructions":
            return bool(ledger.turns) and not outgoing.busy
        case "undo_compaction":
            return bool(ledger.compactions) and not outgoing.busy
        case "retry_now":
            return ledger.retrying is not None
        case "answer":
            return asking
        case "inspect":
            return bool(ledger.turns)
        case "copy_answer" | "search" | "fold_thinking":
            return begun
        case "cycle_mode":
            return outgoing.session is not None
        case _:
            return True
