"""Sessions are found, listed, private, and open in one process at a time."""

import os
import stat
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutaway.harness.errors import ConfigError, LogCorrupt, SessionError, SessionInUse, SessionNotFound
from cutaway.harness.eventlog.store import SessionStore, new_session_id
from cutaway.harness.events import (
    Aborted,
    Event,
    ModelChanged,
    SessionStarted,
    SessionWarning,
    ToolCompleted,
    TurnStarted,
    UserMessageSent,
)
from cutaway.harness.places import config_dir, data_dir
from tests.harness.eventlog.instances import response, small_session
from tests.harness.eventlog.test_eventlog_disk import python

posix_only = pytest.mark.skipif(os.name != "posix", reason="modes and links as POSIX has them")


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "home")


def started(cwd: str = "/w", model: str = "m") -> SessionStarted:
    return SessionStarted("s", "0", cwd, "scripted", model, "interactive", 25, "2025-01-01T00:00:00.000Z")


def make(store: SessionStore, *events: Event, name: str | None = None) -> str:
    with store.create(name) as session:
        for event in events:
            session.log.emit(event)
        return session.id


def test_a_session_is_created_closed_and_taken_up_again(store: SessionStore) -> None:
    name = make(store, *small_session())
    with store.open(name[:11]) as session:
        assert session.id == name
        assert [record.event for record in session.log.records] == small_session()
        session.log.emit(Aborted("x"))
    records, report = store.read(name)
    assert len(records) == report.records == len(small_session()) + 1
    session.close()


@given(st.lists(st.integers(1_600_000_000_000, 4_000_000_000_000), max_size=20))
def test_ids_sort_by_time_and_are_short_file_names(moments: list[int]) -> None:
    by_time = [new_session_id(moment / 1000)[:9] for moment in sorted(moments)]
    assert by_time == sorted(by_time)
    name = new_session_id()
    assert len(name) == 12 and name.isalnum() and name == name.lower()


def test_the_data_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTAWAY_HOME", str(tmp_path / "mine"))
    assert data_dir() == config_dir() == tmp_path / "mine"
    make(SessionStore(), *small_session())
    assert (tmp_path / "mine" / "sessions").is_dir()
    monkeypatch.setenv("CUTAWAY_HOME", "")
    assert data_dir().is_absolute() and data_dir().name == "cutaway"


def test_an_id_that_fits_none_or_many_is_answered_with_those_that_are_near(store: SessionStore) -> None:
    with pytest.raises(SessionNotFound, match="no session 'x'"):
        store.open("x")
    for name in ("alpha-one", "alpha-two", "beta"):
        make(store, *small_session(), name=name)
    with pytest.raises(SessionNotFound, match="alpha-one, alpha-two"):
        store.open("alpha")
    with pytest.raises(SessionNotFound, match=r"Did you mean beta\?"):
        store.open("betta")
    with pytest.raises(SessionNotFound):
        store.open("")
    assert store.find("b") == "beta"


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "a/b", "../x", "a\\b", "a\0b", "é", "x" * 65, "a b"]
)
def test_a_name_that_could_lead_elsewhere_is_refused(store: SessionStore, name: str) -> None:
    with pytest.raises(SessionError, match="cannot name a session"):
        store.create(name)
    assert not store.folder.exists()


def test_a_taken_name_and_a_folder_that_cannot_be_made_are_said(store: SessionStore) -> None:
    make(store, *small_session(), name="one")
    with pytest.raises(SessionError, match="exists already"):
        store.create("one")
    blocked = SessionStore(store.folder / "one" / "events.jsonl")
    with pytest.raises(SessionError, match="CUTAWAY_HOME"):
        blocked.create()


def test_a_list_shows_what_each_session_was_about(store: SessionStore) -> None:
    first = make(
        store,
        started("/one", "m1"),
        UserMessageSent("i", "a note of ours", source="harness"),
        UserMessageSent("i", "  fix\n the\u2028bug  "),
        TurnStarted("t1", "i", 1, 25),
        response("0.25"),
        ModelChanged("m1", "m2", "p"),
        UserMessageSent("i", "and more"),
        TurnStarted("t2", "i", 2, 25),
        response("0.5"),
    )
    second = make(store, started("/two"), UserMessageSent("i", "x" * 50_000), response(None))
    shown = store.list()
    assert {one.id for one in shown} == {first, second}
    by_id = {one.id: one for one in shown}
    one, two = by_id[first], by_id[second]
    assert (one.cwd, one.title, one.turns, one.model) == ("/one", "fix the bug", 2, "m2")
    assert (one.cost, one.damage, one.in_use) == (Decimal("0.75"), "", False)
    assert one.started <= one.last_activity and one.started.endswith("Z")
    assert (two.cost, two.turns, two.title) == (None, 0, "x" * 200), "an unknown price is no price"
    assert [found.id for found in store.list(cwd="/one")] == [first]
    assert store.list(cwd="/elsewhere") == ()


def test_damaged_and_empty_sessions_are_listed_as_such_and_not_resumed(store: SessionStore) -> None:
    """E01 (f): nothing to resume, and no trace."""
    for name in ("empty", "none", "bad", "torn", "dir"):
        make(store, *small_session(), name=name)
    (store.folder / "empty" / "events.jsonl").write_bytes(b"")
    (store.folder / "none" / "events.jsonl").unlink()
    (store.folder / "bad" / "events.jsonl").write_bytes(b"{bad\n" * 3)
    torn = store.folder / "torn" / "events.jsonl"
    torn.write_bytes(torn.read_bytes()[:-20])
    (store.folder / "dir" / "events.jsonl").unlink()
    (store.folder / "dir" / "events.jsonl").mkdir()
    (store.folder / "a file").write_text("not ours")
    damage = {one.id: one.damage for one in store.list()}
    assert damage.keys() == {"empty", "none", "bad", "torn", "dir"}
    assert damage["empty"] == damage["none"] == "empty"
    assert damage["bad"] == "nothing in it can be read"
    assert damage["torn"] == "1 of 8 lines cannot be read"
    assert "cannot be read" in damage["dir"]
    for name in ("empty", "none", "bad"):
        for take in (store.open, store.read):
            with pytest.raises(LogCorrupt, match="nothing to resume"):
                take(name)
    with pytest.raises(SessionError):
        store.open("dir")
    for _ in range(2):
        with store.open("torn") as session:
            assert session.log.report.skipped == 1
            session.log.emit(Aborted("x"))
    assert len(store.read("torn")[0]) == 7 + 2


HOLDER = """
import sys
from pathlib import Path
from cutaway.harness.eventlog.store import SessionStore

session = SessionStore(Path(sys.argv[1])).open("shared")
print("open", flush=True)
sys.stdin.read()
"""


def test_a_session_is_open_in_one_process_at_a_time(store: SessionStore) -> None:
    make(store, *small_session(), name="shared")
    assert not store.list()[0].in_use
    process = python(HOLDER, str(store.folder.parent))
    assert process.stdout and process.stdout.readline() == "open\n"
    try:
        with pytest.raises(SessionInUse, match=rf"process {process.pid}\b"):
            store.open("shared")
        with pytest.raises(SessionInUse):
            store.delete("shared")
        assert store.list()[0].in_use
        assert len(store.read("shared")[0]) == len(small_session()), "looking is always allowed"
        copy = store.fork("shared")
    finally:
        process.kill()
        process.communicate()
    assert not store.list()[0].in_use and not store.list()[1].in_use
    for name in ("shared", copy):
        with store.open(name) as session:
            assert len(session.log.records) == len(small_session())
            with pytest.raises(SessionInUse, match=rf"process {os.getpid()}\b"):
                store.open(name)


def test_a_fork_has_its_own_life_and_texts(store: SessionStore) -> None:
    large = "x" * 50_000
    name = make(store, *small_session(), ToolCompleted("c", "t", "run", "done", large))
    copy = store.fork(name)
    assert store.delete(name) == name
    assert [one.id for one in store.list()] == [copy]
    with store.open(copy) as session:
        last = session.log.records[-1].event
        assert isinstance(last, ToolCompleted) and last.text == large
    store.delete(copy)
    assert os.listdir(store.folder) == []  # noqa: PTH208 (every name, hidden ones too)
    with pytest.raises(SessionNotFound):
        store.fork(name)


@posix_only
def test_nobody_else_can_read_what_is_kept(store: SessionStore) -> None:
    """F12: files 0600, folders 0700, also under a lax umask and in folders that were made lax."""
    store.folder.mkdir(parents=True, mode=0o777)
    store.folder.chmod(0o777)
    before = os.umask(0)
    try:
        with store.create() as session:
            for event in [*small_session(), ToolCompleted("c", "t", "run", "done", "x" * 50_000)]:
                session.log.emit(event)
            store.fork(session.id)
        log = store.folder / session.id / "events.jsonl"
        log.chmod(0o644)
        with store.open(session.id) as session:
            session.log.emit(Aborted("x"))
            session.log.sync()
            found = {
                path: stat.S_IMODE(path.stat().st_mode) for path in [store.folder, *store.folder.rglob("*")]
            }
            assert {path.name for path in found} >= {"events.jsonl", "lock", "lock.pid", "blobs"}
    finally:
        os.umask(before)
    assert {path: oct(mode) for path, mode in found.items() if mode & 0o077} == {}
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in found.items())


@posix_only
def test_links_among_our_own_folders_are_not_followed(store: SessionStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    name = make(store, *small_session(), name="real")
    (store.folder / "link").symlink_to(store.folder / name)
    assert [one.id for one in store.list()] == ["real"]
    with pytest.raises(SessionNotFound):
        store.open("link")
    (store.folder / name / "blobs").symlink_to(tmp_path / "elsewhere")
    with store.open(name) as session:
        session.log.emit(ToolCompleted("c", "t", "run", "done", "x" * 50_000))
        warning = session.log.records[-1].event
        assert isinstance(warning, SessionWarning) and "symbolic link" in warning.message
    store.folder.rename(tmp_path / "moved")
    store.folder.symlink_to(tmp_path / "moved")
    with pytest.raises(ConfigError, match="symbolic link"):
        store.create()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_data_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "big disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "big disk")
    name = make(SessionStore(tmp_path / "home"), *small_session())
    assert len(SessionStore(tmp_path / "big disk").read(name)[0]) == len(small_session())


@pytest.mark.skipif(sys.platform != "linux", reason="open descriptors are counted in /proc")
def test_a_session_that_was_closed_or_refused_holds_no_file_open(store: SessionStore) -> None:
    name = make(store, *small_session())
    (store.folder / name / "events.jsonl").write_bytes(b"")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(LogCorrupt):
            store.open(name)
        make(store, *small_session())
        store.list()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
