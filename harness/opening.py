"""Put a session together: new, or taken up from its log."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cutaway.harness import events as e
from cutaway.harness.budgets import BudgetKind, Budgets
from cutaway.harness.clock import Clock, SystemClock
from cutaway.harness.closing import PROCESS_ENDED, close_all
from cutaway.harness.desk import Desk
from cutaway.harness.errors import SessionError
from cutaway.harness.eventlog.bodies import BodyTape
from cutaway.harness.eventlog.log import EventLog
from cutaway.harness.eventlog.store import SessionStore, StoredSession, new_session_id
from cutaway.harness.history import Conversation
from cutaway.harness.hooks.runner import HookEntry, Hooks
from cutaway.harness.lane import Lane
from cutaway.harness.ledger import Ledger
from cutaway.harness.permissions.rules import Rules
from cutaway.harness.places import private_folder
from cutaway.harness.prompt.builder import PromptBuilder
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.registry import Registry
from cutaway.harness.resume import recall_files
from cutaway.harness.seams import Asker, Caching, CompactionPolicy, Model, Seams, new_id
from cutaway.harness.session import Session
from cutaway.harness.settings import Compaction
from cutaway.harness.toolbox import built_in_tools
from cutaway.harness.workspace import facts_of
from cutaway.tools.paths import Workspace
from cutaway.tools.process import Processes


def installed_version() -> str:
    """The version of the installed package; 'unknown' when it runs from a bare checkout."""
    try:
        return version("cutaway")
    except PackageNotFoundError:
        return "unknown"


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is made of.

    `asker` None means that a screen answers through the session; `clean_up` runs when it is closed;
    `environment` is what programs are started with (less the secrets), ours when it is None.
    """

    root: Path
    model: Model
    mode: e.Mode
    limit: int
    rules: Rules
    test_command: tuple[str, ...] = ()
    asker: Asker | None = None
    clock: Clock | None = None
    counter: TokenCounter | None = None
    clean_up: Callable[[], None] | None = None
    environment: Mapping[str, str] | None = None
    hooks: Mapping[str, Sequence[HookEntry]] = field(default_factory=dict)
    budgets: Mapping[BudgetKind, Decimal] = field(default_factory=dict)
    title: bool = False
    keep_warm_for: Decimal | None = None
    compaction: Compaction = "ask"
    compaction_threshold: float = 0.8
    caching: Caching = field(default_factory=Caching)


@dataclass(slots=True)
class ModelInUse:
    """The one thing of a session that can be swapped while it runs; a call may still use an earlier one."""

    model: Model
    earlier: list[Model] = field(default_factory=list)

    def swap(self, model: Model) -> None:
        self.earlier.append(self.model)
        self.model = model

    async def aclose(self) -> None:
        """Close the connections of every provider that was used."""
        providers = [one.provider for one in (*self.earlier, self.model)]
        for index, provider in enumerate(providers):
            if not any(provider is other for other in providers[:index]):
                await provider.aclose()


def new_session(opening: Opening, store: SessionStore | None = None) -> Session:
    """Begin a session; when its folder cannot be made it lives in memory, and says so."""
    warning = ""
    stored: StoredSession | None = None
    try:
        stored = (store or SessionStore()).create()
    except SessionError as error:
        warning = f"{error} This session is kept in memory only and is lost when it ends."
    log = stored.log if stored else EventLog()
    session_id = stored.id if stored else new_session_id()
    now = (opening.clock or SystemClock()).now().isoformat(timespec="milliseconds")
    log.emit(
        e.SessionStarted(
            session_id=session_id,
            version=installed_version(),
            cwd=str(opening.root),
            provider=opening.model.provider.name,
            model=opening.model.name,
            mode=opening.mode,
            limit=opening.limit,
            start_time=now,
            context_window=opening.model.window,
        )
    )
    if warning:
        log.emit(e.SessionWarning("not-saved", warning))
    return _assemble(opening, session_id, log, stored)


def resume_session(opening: Opening, session_id: str, store: SessionStore | None = None) -> Session:
    """Take a session up again; raises SessionError when it cannot be.

    What a crash left open is closed, once, by appending. The opening's model and mode are used.
    """
    stored = (store or SessionStore()).open(session_id)
    try:
        return _assemble(opening, stored.id, stored.log, stored, resumed=True)
    except BaseException:
        stored.close()
        raise


def _assemble(
    opening: Opening, session_id: str, log: EventLog, stored: StoredSession | None, *, resumed: bool = False
) -> Session:
    conversation, ledger, emit = _folded(log)
    workspace = Workspace.at(opening.root)
    counter = opening.counter or TokenCounter()
    processes = Processes(opening.environment)
    desk = Desk() if opening.asker is None else None
    in_use = ModelInUse(opening.model)
    clock = opening.clock or SystemClock()
    spill = _spill_folder(stored)
    seams = Seams(
        emit=emit,
        sync=log.sync_aside,
        model=lambda: in_use.model,
        clock=clock,
        ask=opening.asker or desk or Desk(),
        conversation=conversation,
        ledger=ledger,
        builder=PromptBuilder(counter),
        counter=counter,
        tape=BodyTape.resumed(log.records),
        registry=Registry(built_in_tools(processes)),
        rules=opening.rules,
        workspace=workspace,
        files=recall_files(ledger, workspace),
        facts=lambda: facts_of(workspace.root, opening.test_command),
        spill=str(spill),
        lane=Lane(emit, ledger.pending, ledger.pending_deliveries),
        hooks=Hooks(
            opening.hooks,
            emit,
            clock,
            session_id,
            workspace.root,
            str(stored.folder / "events.jsonl") if stored else "",
            os.environ if opening.environment is None else opening.environment,
            new_id,
        ),
        budgets=Budgets(clock.monotonic, dict(opening.budgets)),
        compaction=CompactionPolicy(opening.compaction, opening.compaction_threshold),
        caching=opening.caching,
        session_id=session_id,
        wake=asyncio.Event(),
    )
    seams.builder.sent(list(ledger.context))
    seams.budgets.open(ledger)
    if resumed:
        _take_up(opening, seams, log)
    return Session(
        session_id=session_id,
        log=log,
        seams=seams,
        desk=desk,
        limit=opening.limit,
        swap_model=in_use.swap,
        titled=opening.title,
        keep_warm_for=opening.keep_warm_for,
        close=_closer(log, stored, processes, in_use, spill, opening.clean_up),
    )


def _folded(log: EventLog) -> tuple[Conversation, Ledger, Callable[[e.Event], e.Record]]:
    """Fold what the log holds; what is emitted from here on is recorded and folded too."""
    conversation, ledger = Conversation(), Ledger()

    def fold(record: e.Record) -> e.Record:
        ledger.fold(record)
        conversation.fold(record.event)
        return record

    for record in log.records:
        fold(record)
    return conversation, ledger, lambda event: fold(log.emit(event))


def _take_up(opening: Opening, seams: Seams, log: EventLog) -> None:
    now = seams.clock.now().isoformat(timespec="milliseconds")
    open_calls = tuple(call.id for call in seams.conversation.open_calls)
    seams.emit(e.SessionResumed(now, len(log.records), installed_version(), open_calls, log.report.skipped))
    close_all(seams.emit, seams.conversation, seams.ledger, PROCESS_ENDED)
    if log.report.warning:
        seams.emit(e.SessionWarning("log-damaged", log.report.warning))
    ledger, model = seams.ledger, opening.model
    request, effort = ledger.turn.request if ledger.turn else None, model.params.effort or ""
    other = (ledger.provider, ledger.model) != (model.provider.name, model.name)
    if other or (request is not None and request.settings != effort):
        seams.emit(e.ModelChanged(ledger.model, model.name, model.provider.name, model.window, effort))
    if ledger.mode != opening.mode:
        seams.emit(e.ModeChanged(ledger.mode, opening.mode))


def _spill_folder(stored: StoredSession | None) -> Path:
    """Make the folder for long outputs; on a full disk it is only named, and each output says so."""
    if stored is None:
        return Path(tempfile.mkdtemp(prefix="cutaway-"))
    with suppress(OSError):
        private_folder(stored.folder / "spill", below=stored.folder)
    return stored.folder / "spill"


def _closer(
    log: EventLog,
    stored: StoredSession | None,
    processes: Processes,
    in_use: ModelInUse,
    spill: Path,
    clean_up: Callable[[], None] | None,
) -> Callable[[], Coroutine[Any, Any, None]]:
    async def close() -> None:
        await processes.aclose()
        await in_use.aclose()
        log.close()
        if clean_up is not None:
            await asyncio.to_thread(clean_up)
        if stored is None:
            shutil.rmtree(spill, ignore_errors=True)
            return
        stored.close()
        if not any(isinstance(record.event, e.UserMessageSent) for record in log.records):
            with suppress(OSError):  # nothing was said: an empty session would only be in the way
                shutil.rmtree(stored.folder)

    return close
