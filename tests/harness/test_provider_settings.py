"""Providers and models in config.toml: what is wrong names file and key, and no key lies in the file."""

import os

import pytest

from cutaway.harness.config import Configured, Settings, load_settings
from cutaway.harness.errors import ConfigError
from cutaway.harness.places import config_dir
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.dialects import DIALECTS, Dialect
from cutaway.harness.target import workspace_root

SECRET = "sk-proj-0123456789abcdefghij"


def load(text: str) -> Configured:
    (config_dir() / "config.toml").write_text(text)
    return load_settings(workspace_root("."), {}, os.environ)


def provider(text: str) -> Dialect:
    return dialects_with(load(f"[providers.mine]\n{text}").settings.providers)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[providers.openai]\nbase-url = 'https://x.org'", "another name"),
        ("[providers.'a b']\nbase-url = 'https://x.org'", "letters, digits"),
        ("[providers.mine]", "base-url is missing"),
        ("[providers.mine]\nbase-url = 'ftp://x.org'", "base-url"),
        ("[providers.mine]\nbase-url = 'https://x.org:99999'", "base-url"),
        ("[providers.mine]\nbase-url = 'https://x.org'\napi = 'chta'", "api"),
        ("[providers.mine]\nbase-url = 'https://x.org'\ndialect = 'mistrl'", "'mistral'"),
        ("[providers.mine]\nbase-ulr = 'https://x.org'", "Did you mean 'base-url'"),
        ("[providers.mine]\nbase-url = 'https://x.org'\nkey-variable = '$KEY'", "no $"),
        ("[providers.mine]\nbase-url = 'https://x.org'\nheaders = { Host = 'y' }", "headers.Host"),
        ("[models.m]\ncontext-window = 0", 'models."m": context-window'),
        ("[models.m.price]\ninput = -1", 'models."m": price.input'),
        ("[models.m.price]\noutput = nan", 'models."m": price.output'),
        ("[models.m.price]\noutptu = 1", "Did you mean 'output'"),
        ("[models.m]\ncapabilities = ['visoin']", "capabilities"),
        ("[models.m]\nwindow = 1", "context-window"),
    ],
)
def test_a_wrong_provider_or_model_names_file_and_key(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert "config.toml" in str(caught.value) and said in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"key-variable = '{SECRET}'",
        "key-variable = 'abcdef0123456789abcdef0123456789'",
        f"api-key = '{SECRET}'",
        "api-key = 'short'",
        f"headers = {{ X-Whatever = '{SECRET}' }}",
        f"headers = {{ Authorization = 'Bearer {SECRET}' }}",
        "headers = { x-api-key = 'short' }",
    ],
)
def test_a_key_in_the_file_is_refused_with_advice_and_never_shown(line: str) -> None:
    with pytest.raises(ConfigError, match="Keys are never kept in this file") as caught:
        provider(f"base-url = 'https://x.org'\n{line}")
    assert SECRET not in str(caught.value) and "abcdef0123" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://me:pw-secret@x.org", "https://x.org/v1?api_key=pw-secret"])
def test_a_password_in_an_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="key-variable") as caught:
        provider(f"base-url = '{url}'")
    assert "pw-secret" not in str(caught.value)


def test_a_key_anywhere_else_in_the_file_is_refused_too() -> None:
    with pytest.raises(ConfigError, match="model: This looks like a key"):
        load(f"model = '{SECRET}'")


def test_a_provider_shares_the_ways_of_a_known_one_but_not_its_key() -> None:
    mine = provider("base-url = 'https://x.org/v1'\ndialect = 'mistral'\nstream-options = true\nmodel = 'm'")
    assert (mine.call_id_length, mine.stream_options, mine.key_variable) == (9, True, "")
    assert (mine.name, mine.title, mine.default_model, mine.local) == ("mine", "mine", "m", False)
    again = provider("dialect = 'mistral'")
    assert (again.base_url, again.key_variable) == ("https://api.mistral.ai/v1", "MISTRAL_API_KEY")


def test_an_api_is_enough_and_a_server_on_this_machine_is_local() -> None:
    mine = provider("base-url = '127.0.0.1:9'\napi = 'anthropic'\nkey-header = 'X-Key'")
    assert (mine.api, mine.local, mine.key_header, mine.address_variable) == ("anthropic", True, "X-Key", "")
    assert not provider("base-url = 'http://127.0.0.1:9'\nlocal = false").local
    assert dialects_with({}) == DIALECTS


def test_a_folder_adds_providers_and_models(tmp_path: object) -> None:
    root = workspace_root(str(tmp_path))
    (config_dir() / "config.toml").write_text(
        "[providers.a]\nbase-url = 'https://a.org'\n[models.m]\nmax-output = 1\n"
        f"[folder.'{root}'.providers.b]\nbase-url = 'https://b.org'\n"
        f"[folder.'{root}'.models.m]\nmax-output = 2"
    )
    settings: Settings = load_settings(root, {}, os.environ).settings
    assert list(settings.providers) == ["a", "b"] and settings.models["m"].max_output == 2
