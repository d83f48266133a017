"""Text from programs made safe to show: no control sequence survives, and nothing hides.

What a terminal would do with carriage returns and backspaces is done here, so that a progress bar
leaves its last state only, for the model as for the screen.
"""

import re
from dataclasses import dataclass

LONGEST_LINE_HELD = 8_192
"""Characters of an unfinished line that wait for a carriage return; a longer line is passed on."""

_HELD_SEQUENCE = 128
"""Characters of an unfinished sequence that wait for their end; real ones are far shorter."""

_INTRODUCER = r"\x90\x98\x9d-\x9f"  # DCS, SOS, OSC, PM, APC in eight bits
_STRING = rf"(?:\x1b[\]PX^_]|[{_INTRODUCER}])[^\x07\x18\x1a\x1b\x9c\n{_INTRODUCER}]*+"
_ENDING = rf"(?:\x07|\x1b\\|[\x18\x1a\x9c]|(?=[\n{_INTRODUCER}])|(?=\x1b[^\\]))"
_SEQUENCES = re.compile(
    _STRING
    + _ENDING  # the next line: CSI, whole or broken off by a character that cannot go on
    + r"|(?:\x1b\[|\x9b)[0-?]*+[ -/]*+(?:[@-~]|(?=[^@-~]))"
    r"|\x1b[ -/]*+(?:[0-OQ-WYZ\\`-~]|(?=[^ -~]))|\x1b[ -/]++[P\[\]X^_]"
)
_UNFINISHED = re.compile(
    rf"(?P<string>{_STRING})\x1b?\Z|(?:\x1b\[|\x9b)[0-?]*+[ -/]*+\Z|\x1b[ -/]*+\Z",
)
_STARTS_SEQUENCE = re.compile(rf"[\x1b\x9b{_INTRODUCER}]")
_STRING_END = re.compile(_ENDING)
_TO_LINE_START = re.compile(r"\x1b\[(?:[01]?G|2K)")  # as progress bars without a carriage return do

_SUSPECT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_DROPPED = dict.fromkeys([*range(0x09), *range(0x0D, 0x20), *range(0x7F, 0xA0)])
_NEW_LINES = dict.fromkeys([0x0B, 0x0C], "\n")
_SHOWN_AS_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode()
    for code in [*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080)]
}
_TRANSLATION: dict[int, str | None] = {**_DROPPED, **_NEW_LINES, **_SHOWN_AS_ESCAPES}


def sanitise(text: str) -> str:
    """Make a whole text safe: what is left holds no control character but line ends and tabs."""
    sanitiser = Sanitiser()
    return sanitiser.feed(text) + sanitiser.close()


@dataclass(slots=True)
class Sanitiser:
    """Makes a stream of text safe, chunk by chunk, in time linear in the text.

    `feed` returns what is final; `partial` is the unfinished line, safe to show, that a carriage
    return may still replace.
    """

    _held: str = ""
    _line: str = ""
    _in_string: bool = False

    @property
    def partial(self) -> str:
        """The unfinished line as a terminal would show it now."""
        return _last_state(self._line).translate(_TRANSLATION)

    def feed(self, text: str) -> str:
        """Take the next chunk; return the lines that are finished by it."""
        plain = not (self._held or self._in_string or _SUSPECT.search(text) or _SUSPECT.search(self._line))
        if plain:  # most output is, and 38 MB of it must not hold up the screen
            text = self._line + text
            cut = text.rfind("\n") + 1
            self._line = text[cut:]
            return text[:cut] + self._overflow()
        text = self._line + self._without_sequences(self._held + text).replace("\r\n", "\n")
        cut = text.rfind("\n") + 1
        done, self._line = text[:cut], _with_last_state_only(text[cut:])
        if "\r" in done or "\b" in done:
            done = "\n".join(_last_state(line) for line in done.split("\n"))
        return done.translate(_TRANSLATION) + self._overflow()

    def close(self) -> str:
        """Return what is left at the end of the stream."""
        rest = self.partial
        self._held, self._line, self._in_string = "", "", False
        return rest

    def _overflow(self) -> str:
        if len(self._line) <= LONGEST_LINE_HELD:
            return ""
        keep = "\r" if self._line.endswith("\r") else ""
        passed, self._line = _last_state(self._line).translate(_TRANSLATION), keep
        return passed

    def _without_sequences(self, text: str) -> str:
        """Remove escape sequences; one that the chunk's end cuts is held, or its string skipped."""
        self._held = ""
        if self._in_string:
            end = _STRING_END.search(text)
            if end is None:
                self._held = "\x1b" if text.endswith("\x1b") else ""
                return ""
            text, self._in_string = text[end.end() :], False
        if not _STARTS_SEQUENCE.search(text):
            return text
        text = _SEQUENCES.sub("", _TO_LINE_START.sub("\r", text))
        if tail := _UNFINISHED.search(text):
            text, rest = text[: tail.start()], tail[0]
            if tail["string"] is not None:
                self._in_string = True
                self._held = "\x1b" if rest.endswith("\x1b") else ""
            elif len(rest) <= _HELD_SEQUENCE:
                self._held = rest
        return text


def _with_last_state_only(line: str) -> str:
    """Shorten an unfinished line to what can still be seen of it, so that bars stay small."""
    if "\r" not in line:
        return line
    body = line.rstrip("\r")
    return body.rpartition("\r")[2] + ("\r" if len(body) < len(line) else "")


def _last_state(line: str) -> str:
    """Do what a terminal does with carriage returns and backspaces."""
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    if "\b" not in line:
        return line
    shown: list[str] = []
    for char in line:
        if char != "\b":
            shown.append(char)
        elif shown:
            shown.pop()
    return "".join(shown)
