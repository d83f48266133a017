"""The transcript: one virtualised widget that shows a conversation of any length.

Use it so::

    transcript = Transcript(id="conversation")
    transcript.append(TranscriptBlock("u1", "user", "why does it fail?"))
    transcript.append(TranscriptBlock("a1", "answer"))
    transcript.stream("a1", "Because **x** ")     # as often as text comes; painted at most 10 times a second
    transcript.finish("a1")
    transcript.append(TranscriptBlock("c1", "call", "src/x.py:1-80", title="read", state="running"))
    transcript.update("c1", state="done", meta="0.02 s")

Text is data: no markup is interpreted but Markdown in answers; control characters are shown as escapes.
Messages: `Transcript.Selected(block_id)`, `Transcript.CopyRequested(text)`, `Transcript.SearchRequested()`,
`Transcript.CursorMoved(block_id)`. The end is followed while the view is at the end; otherwise nothing moves,
and `new_lines` says how much came (the last row in view shows it). `plain_text()` gives everything as words.
"""

from cutaway.tui.transcript.blocks import BlockKind, CallState, TranscriptBlock
from cutaway.tui.transcript.safe_text import one_line, visible
from cutaway.tui.transcript.search import SearchHit
from cutaway.tui.transcript.view import Transcript

__all__ = ["BlockKind", "CallState", "SearchHit", "Transcript", "TranscriptBlock", "one_line", "visible"]
