"""What a decision says: the outcome, and always why."""

from typing import Literal

from msgspec import Struct

Outcome = Literal["allow", "deny", "ask"]


class Decision(Struct, frozen=True):
    """Whether a call may run.

    `reason` is one sentence for the user (and, when denied, for the model). `rule` names the rule or
    mode that decided. `always` is the rule that "always for this session" would add, written exactly
    as it would match; '' when nothing narrow enough can be offered.
    """

    outcome: Outcome
    reason: str
    rule: str = ""
    always: str = ""
