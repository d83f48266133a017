"""What a person (or the command line in their place) answers to a question of the harness."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

from cutaway.harness.events import LimitChoice


class PermissionAnswer(Struct, frozen=True):
    """`feedback` goes to the model with a denial; `rule` is added for the session, '' for the one offered."""

    kind: Literal["approve", "approve-for-session", "deny"]
    feedback: str = ""
    rule: str = ""


class LimitAnswer(Struct, frozen=True):
    """`limit` is the new limit in turns, `most` the new budget in its unit; None takes the next one."""

    choice: LimitChoice
    limit: int | None = None
    most: Decimal | None = None


Answer = PermissionAnswer | LimitAnswer
