"""What every event shares, and the few words that many of them use."""

from typing import ClassVar, Literal

from msgspec import Struct

Mode = Literal["plan", "interactive", "accept-edits", "autopilot"]


class EventBase(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What all events share: a name in the log, and whether they are written there at all."""

    type: ClassVar[str] = ""
    ephemeral: ClassVar[bool] = False
