"""The environment of a program: no secrets in it, and nothing that would ask or colour."""

import pytest

from cutaway.tools.environment import child_environment, looks_secret


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "NPM_AUTH",
        "SESSION_COOKIE",
        "openai_api_key",
        "MyToken",
        "GH_PAT",
        "SENTRY_DSN",
        "SSH_PASSPHRASE",
        "OPENAI_BASE_URL",
        "XKEY",
    ],
)
def test_secrets_are_known_by_their_names(name: str) -> None:
    assert looks_secret(name, "x")


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "LANG",
        "VIRTUAL_ENV",
        "SSH_AUTH_SOCK",
        "KEYBOARD_LAYOUT",
        "AUTHOR",
        "PATTERN",
        "PASSENGER_MODE",
        "XAUTHORITY",
        "GIT_CONFIG_KEY_0",
        "PYTHONPATH",
        "CARGO_HOME",
    ],
)
def test_plain_variables_are_passed_on(name: str) -> None:
    assert not looks_secret(name, "x")


@pytest.mark.parametrize(
    "value",
    [
        "sk-test-SECRET123",
        "ghp_" + "a" * 36,
        "postgres://app:hunter2@db/x",
        "Bearer abcdefgh12345678",
        "https://:tok@host/",
        "-----BEGIN RSA PRIVATE KEY-----",
        "AKIAABCDEFGHIJKLMNOP",
    ],
)
def test_secrets_are_known_by_their_form(value: str) -> None:
    assert looks_secret("SETTING", value)


@pytest.mark.parametrize("value", ["https://host/path", "user@host", "risk-assessment-2024", "/usr/bin", ""])
def test_plain_values_are_passed_on(value: str) -> None:
    assert not looks_secret("SETTING", value)


def test_a_copy_of_a_secret_under_another_name_goes_too() -> None:
    base = {"APP_TOKEN": "abcdef-1234567890", "HEADER": "X-App: abcdef-1234567890", "PLAIN": "stays"}
    made = child_environment(base)
    assert "HEADER" not in made
    assert made["PLAIN"] == "stays"


def test_what_the_user_keeps_is_kept() -> None:
    base = {"NPM_TOKEN": "abcdef-1234567890", "OTHER_TOKEN": "x"}
    made = child_environment(base, keep=["NPM_TOKEN"])
    assert made["NPM_TOKEN"] == "abcdef-1234567890"
    assert "OTHER_TOKEN" not in made


def test_git_never_gets_half_a_list_of_settings() -> None:
    base = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraheader",
        "GIT_CONFIG_VALUE_0": "Authorization: Bearer abcdefgh12345678",
    }
    assert not {name for name in child_environment(base) if name.startswith("GIT_CONFIG_")}


def test_what_changes_the_shell_is_left_out_and_prompts_are_off() -> None:
    base = {"BASH_ENV": "/tmp/x", "BASH_FUNC_ls%%": "() { rm; }", "CDPATH": "/", "FORCE_COLOR": "1"}
    made = child_environment(base, extra={"EXTRA": "1"})
    assert not base.keys() & made.keys()
    assert made["EXTRA"] == "1"
    assert (made["PAGER"], made["TERM"], made["NO_COLOR"]) == ("cat", "dumb", "1")
    assert (made["GIT_TERMINAL_PROMPT"], made["GIT_EDITOR"], made["PYTHONUNBUFFERED"]) == ("0", "true", "1")
