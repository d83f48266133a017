"""From settings to a session: find the model, its price, the rules, and open or take up the log."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from cutaway.harness.budgets import BudgetKind
from cutaway.harness.config import RuleText, Settings
from cutaway.harness.errors import ConfigError, SessionNotFound
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.ledger import Ledger
from cutaway.harness.messages import scrub
from cutaway.harness.model_choice import open_model
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.permissions.rules import Rule, Rules
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.dialects import SCRIPTED
from cutaway.harness.seams import Asker, Caching
from cutaway.harness.session import Session
from cutaway.harness.target import Launch


async def launch(
    wanted: Launch,
    environment: Mapping[str, str],
    asker: Asker | None = None,
    store: SessionStore | None = None,
) -> Session:
    """Open a session as the settings say; raises HarnessError with what to do instead.

    A resumed session keeps its provider and model unless the settings name others.
    """
    store = store or SessionStore()
    settings = wanted.configured.settings
    session_id, root = _session_to_resume(wanted, store)
    provider, base_url, model = settings.provider, settings.base_url, settings.model
    if session_id:
        provider, base_url, model = _as_before(store, session_id, settings)
    counter = TokenCounter()
    chosen = await open_model(
        settings,
        environment,
        provider=provider,
        base_url=wanted.script or base_url,
        model=model,
        count=counter.count_now,
    )
    opening = Opening(
        root=root,
        model=chosen,
        mode=settings.mode,
        limit=settings.limit,
        rules=rules_of(wanted.configured.rules),
        test_command=settings.tests.command,
        asker=asker,
        counter=counter,
        hooks=settings.hooks,
        budgets=budgets_of(settings),
        title=settings.title,
        keep_warm_for=settings.keep_alive_max_cost if settings.keep_alive and asker is None else None,
        caching=Caching(settings.cache_strategy, settings.cache_ttl),
        compaction=settings.compaction,
        compaction_threshold=settings.compaction_threshold,
    )
    if session_id:
        return resume_session(opening, session_id, store)
    return new_session(opening, store)


def budgets_of(settings: Settings) -> dict[BudgetKind, Decimal]:
    """Give the budgets that are set, each in its unit."""
    most: dict[BudgetKind, Decimal | int | None] = {
        "cost": settings.max_cost,
        "tokens": settings.max_tokens,
        "minutes": settings.max_minutes,
    }
    return {kind: Decimal(amount) for kind, amount in most.items() if amount is not None}


def rules_of(written: Iterable[RuleText]) -> Rules:
    """Make the rules of the settings; raises ConfigError naming the rule that cannot be read."""
    rules = Rules()
    for rule in written:
        rules.add([Rule.parse(rule.text, rule.outcome, rule.origin)])
    return rules


def _session_to_resume(wanted: Launch, store: SessionStore) -> tuple[str, Path]:
    """The id to take up ('' for a new session) and the folder it works in."""
    if wanted.newest:
        found = [one for one in store.list(wanted.root) if not one.in_use]
        if not found:
            raise SessionNotFound(f"There is no session of {wanted.root} yet. See: cutaway sessions list")
        return found[0].id, wanted.root
    if not wanted.resume:
        return "", wanted.root
    session_id = store.find(wanted.resume)
    summary = next((one for one in store.list() if one.id == session_id), None)
    if summary is None or not summary.cwd:
        return session_id, wanted.root
    if summary.cwd == scrub(str(wanted.root)):  # a name that is not UTF-8 cannot be told from the log
        return session_id, wanted.root
    root = Path(summary.cwd)
    if not root.is_dir():
        raise ConfigError(
            f"The session {session_id} worked in {root}, and that folder has gone. "
            f"Put it back, or look at the session with: cutaway sessions show {session_id}"
        )
    return session_id, root


def _as_before(store: SessionStore, session_id: str, settings: Settings) -> tuple[str, str, str]:
    """The provider, address and model that a session last used, where the settings name none."""
    if settings.provider or settings.base_url or settings.model:
        return settings.provider, settings.base_url, settings.model
    ledger = Ledger()
    for record in store.read(session_id)[0]:
        ledger.fold(record)
    known = (SCRIPTED.name, *(dialect.name for dialect in dialects_with(settings.providers)))
    if ledger.provider in known:
        return ledger.provider, "", ledger.model
    request = ledger.turn.request if ledger.turn else None  # a server of the user's own: its address
    return "", request.url if request else ledger.provider, ledger.model
