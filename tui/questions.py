"""The questions of the harness, brought to the dock and taken away as the ledger has them."""

from cutaway.harness.ledger import Ledger
from cutaway.tui.widgets.approval import ApprovalWidget
from cutaway.tui.widgets.ask import AskDock
from cutaway.tui.widgets.limit import LimitWidget


class Questions:
    """Keeps the dock equal to what is open; a question that was closed elsewhere goes by itself."""

    def __init__(self, dock: AskDock) -> None:
        self._dock = dock
        self._docked: set[str] = set()

    def show(self, ledger: Ledger) -> None:
        """Dock what is newly asked, and drop what is no longer open."""
        limit = ledger.limit_asked
        asked = {*ledger.asking, *([limit.request_id] if limit is not None else [])}
        for request_id in self._docked - asked:
            self._dock.drop(request_id)
        for request_id, request in ledger.asking.items():
            if request_id not in self._docked:
                call = ledger.calls.get(request.tool_call_id)
                self._dock.ask(ApprovalWidget(request, call.arguments if call is not None else ""))
        if limit is not None and limit.request_id not in self._docked:
            self._dock.ask(LimitWidget(limit))
        self._docked = asked
