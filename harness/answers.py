"""What a person (or the command line in their place) answers to a question of the harness."""

from typing import Literal

from msgspec import Struct

from cutaway.harness.events import LimitChoice


class PermissionAnswer(Struct, frozen=True):
    """`feedback` goes to the model with a denial; `rule` is the rule to add for the session."""

    kind: Literal["approve", "approve-for-session", "deny"]
    feedback: str = ""


class LimitAnswer(Struct, frozen=True):
    """`limit` is the new limit in turns; None takes the next one of the series."""

    choice: LimitChoice
    limit: int | None = None


Answer = PermissionAnswer | LimitAnswer
