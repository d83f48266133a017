"""What a decision says: the outcome, and always why."""

from msgspec import Struct

from cutaway.harness.events import Outcome


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
