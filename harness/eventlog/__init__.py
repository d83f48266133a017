"""What happened in a session, on disk: one record a line, large texts once, nothing valid ever lost."""

from cutaway.harness.eventlog.log import EventLog
from cutaway.harness.eventlog.reading import OpenReport
from cutaway.harness.eventlog.subscription import Subscription

__all__ = ["EventLog", "OpenReport", "Subscription"]
