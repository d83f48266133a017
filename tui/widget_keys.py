"""The keys that widgets bind for themselves: they have ids, so that a user can change them too."""

from textual.binding import Binding
from textual.dom import DOMNode

from cutaway.tui.screens.call import CallScreen
from cutaway.tui.screens.inspector import InspectorScreen
from cutaway.tui.transcript import Transcript
from cutaway.tui.widgets.approval import ApprovalWidget
from cutaway.tui.widgets.ask import Ask
from cutaway.tui.widgets.call_detail import CallDetail
from cutaway.tui.widgets.limit import BOUND_QUESTIONS
from cutaway.tui.widgets.queue_lane import QueueLane
from cutaway.tui.widgets.row_view import RowView
from cutaway.tui.widgets.search_bar import SearchBar

OWNERS: tuple[type[DOMNode], ...] = (
    Transcript,
    RowView,
    Ask,
    ApprovalWidget,
    *BOUND_QUESTIONS,
    CallDetail,
    QueueLane,
    CallScreen,
    InspectorScreen,
    SearchBar,
)


def widget_key_ids() -> list[str]:
    """The ids of all those keys, each once."""
    ids = [
        binding.id
        for owner in OWNERS
        for binding in owner.BINDINGS
        if isinstance(binding, Binding) and binding.id is not None
    ]
    return list(dict.fromkeys(ids))
