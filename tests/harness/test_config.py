"""Settings that are wrong: the message names the file, the key, and the nearest one that exists."""

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cutaway.harness.config import Configured, HookTable, load_settings
from cutaway.harness.errors import ConfigError
from cutaway.harness.places import config_dir
from cutaway.harness.target import workspace_root


def load(text: str | bytes, workspace: Path = Path("/"), **flags: Any) -> Configured:
    path = config_dir() / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_settings(workspace, flags, os.environ)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle = 'x'", "'model'"),
        ("mode = 'wild'", "plan, interactive, accept-edits, autopilot"),
        ("limit = 0", "limit"),
        ("limit = 'many'", "limit"),
        ("limit = true", "limit"),
        ("limit = 2.5", "limit"),
        ("limit = ", "not valid TOML"),
        ("limit = 1\nlimit = 2", "not valid TOML"),
        ("max-output-tokens = -1", "max-output-tokens"),
        ("temperature = nan", "temperature"),
        ("temperature = -0.5", "temperature"),
        ("effort = 'hihg'", "none, minimal, low"),
        ("max-cost = 0", "max-cost"),
        ("max-cost = 'nan'", "max-cost"),
        ("max-tokens = -1", "max-tokens"),
        ("max-minutes = inf", "max-minutes"),
        ("keep-alive-max-cost = -0.01", "keep-alive-max-cost"),
        ("keep-alive = 'perhaps'", "keep-alive"),
        ("cache-ttl = '1m'", "5m, 1h"),
        ("cache-strategy = 'stabel'", "stable, copilot"),
        ("compaction = true", "off, ask, auto"),
        ("compaction-threshold = 80", "compaction-threshold"),
        ("[[hooks.PreTolUse]]\ncommand = 'x'", "'PreToolUse'"),
        ("[hooks.Stop]\ncommand = 'x'", "[[hooks.Stop]]"),
        ("[[hooks.Stop]]\ncomand = 'x'", "hooks.Stop, entry 1: unknown key 'comand'. Did you mean 'command'"),
        ("[[hooks.Stop]]\ntimeout = 3", "command"),
        ("[[hooks.Stop]]\ncommand = ' '", "hooks.Stop, entry 1: command"),
        ("[[hooks.Stop]]\ncommand = 'x'\n[[hooks.Stop]]\ncommand = 'y'\ntimeout = 0", "entry 2: timeout"),
        ("hooks = 3", "hooks"),
        ("allow = 'read_file'", "allow"),
        ("allow = [1]", "allow[0]"),
        ("[tests]\ncomand = ['make']", "'command'"),
        ("[tests]\ncommand = 'make'", "tests.command"),
        ("folder = 3", "folder"),
        ('[folder."~nobody-of-that-name/x"]\nlimit = 3', "home folder"),
        ('[folder."/"]\nmodle = "x"', "'model'"),
        (b"model = '\xff'", "UTF-8"),
    ],
)
def test_a_wrong_setting_names_file_and_key(text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert "config.toml" in str(caught.value) and said in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_file() -> None:
    assert load(b"\xef\xbb\xbflimit = 3").settings.limit == 3


def test_a_file_that_cannot_be_read_is_named() -> None:
    (config_dir() / "config.toml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_settings(Path("/"), {}, os.environ)


def test_later_layers_win_and_each_value_knows_its_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTAWAY_LIMIT", "7")
    found = load('limit = 3\nmode = "plan"\n[folder."/"]\nmode = "autopilot"', model="m")
    assert (found.settings.limit, found.settings.mode, found.settings.model) == (7, "autopilot", "m")
    assert found.origins["limit"] == "$CUTAWAY_LIMIT" and found.origins["model"] == "--model"
    assert 'folder."/"' in found.origins["mode"] and found.origins["theme"] == "default"


def test_bytes_that_are_no_text_are_refused_where_they_would_be_sent() -> None:
    with pytest.raises(ConfigError, match="--model"):
        load("", model="m\udcff")


def test_a_home_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="--cwd"):
        workspace_root("~nobody-of-that-name/x")
    monkeypatch.setenv("CUTAWAY_HOME", "~nobody-of-that-name")
    with pytest.raises(ConfigError, match="CUTAWAY_HOME"):
        config_dir()


def test_budgets_and_switches_come_from_every_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTAWAY_KEEP_ALIVE", "true")
    monkeypatch.setenv("CUTAWAY_MAX_TOKENS", "200000")
    flags: dict[str, Any] = {"max-minutes": "2.5", "title": False}
    found = load("max-cost = 0.1\ntitle = true", **flags)
    settings = found.settings
    assert (settings.max_cost, settings.max_minutes) == (Decimal("0.1"), Decimal("2.5"))
    assert (settings.max_tokens, settings.keep_alive, settings.title) == (200_000, True, False)
    assert found.origins["title"] == "--no-title" and found.origins["keep-alive"] == "$CUTAWAY_KEEP_ALIVE"


def test_hooks_of_a_folder_run_after_those_of_everywhere() -> None:
    found = load(
        "[[hooks.Stop]]\ncommand = 'a'\n[[hooks.PreToolUse]]\ncommand = ['b', 'c']\nmatcher = 'run_*'\n"
        "[[folder.'/'.hooks.Stop]]\ncommand = 'd'\ntimeout = 5"
    )
    hooks = found.settings.hooks
    assert hooks["Stop"] == (HookTable("a"), HookTable("d", timeout=5))
    assert hooks["PreToolUse"] == (HookTable(("b", "c"), matcher="run_*"),)
