"""`cutaway models` as a process: what is reached without and with a key, and how it is said."""

import json

from cutaway.harness.places import config_dir
from tests.command.kit import command, run
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step

KEY = "k-0123456789abcdef"


def provider_at(server: OpenAIServer) -> None:
    (config_dir() / "config.toml").write_text(
        f"[providers.mine]\nbase-url = '{server.url}'\nkey-variable = 'MY_KEY'\nlocal = false\n"
        "model = 'large'\n"
        "[models.'mine/large']\ncontext-window = 123456\nprice = { input = 1.5, output = 6 }\n"
    )


def test_without_any_model_it_says_what_was_looked_for() -> None:
    done = run(command("models"))
    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY: the variable is not set" in done.stdout
    assert "cutaway demo" in done.stdout and done.stderr == ""


def test_a_server_on_this_machine_is_asked(openai_server: OpenAIServer) -> None:
    openai_server.models = ("small", "la\x1b[31mrge")
    done = run(command("models"), OLLAMA_HOST=f"127.0.0.1:{openai_server.port}")
    assert done.returncode == 0
    assert "Ollama" in done.stdout and "small" in done.stdout and "on this machine" in done.stdout
    assert "\x1b" not in done.stdout


def test_nothing_is_sent_with_a_key_unless_it_is_asked_for(openai_server: OpenAIServer) -> None:
    provider_at(openai_server)
    openai_server.models = ("large", "other")
    openai_server.key = KEY
    done = run(command("models", "mine", "--json"), MY_KEY=KEY)
    assert done.returncode == 0 and openai_server.seen == []
    told = json.loads(done.stdout)
    assert (told["name"], told["listed"], [one["name"] for one in told["models"]]) == (
        "mine",
        False,
        ["large"],
    )
    (model,) = told["models"]
    assert (model["context_window"], model["price"]["fresh"], model["price"]["source"]) == (
        123456,
        "1.5",
        "config.toml",
    )
    asked = run(command("models", "mine", "--json", "--refresh"), MY_KEY=KEY)
    assert [one["name"] for one in json.loads(asked.stdout)["models"]] == ["large", "other"]
    assert openai_server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in asked.stdout + asked.stderr


def test_a_key_that_is_refused_is_said_and_the_rest_is_shown(openai_server: OpenAIServer) -> None:
    provider_at(openai_server)
    openai_server.key = "another"
    done = run(command("models", "mine", "--refresh"), MY_KEY=KEY)
    assert done.returncode == 0 and "large *" in done.stdout
    assert "mine:" in done.stderr and KEY not in done.stderr


def test_a_known_provider_has_dated_prices_and_an_unknown_one_a_near_name() -> None:
    done = run(command("models", "anthropic"), ANTHROPIC_API_KEY=KEY)
    assert "claude-sonnet-5-5 *" in done.stdout and "checked 20" in done.stdout
    wrong = run(command("models", "anthrpic"))
    assert wrong.returncode == 2 and "'anthropic'" in wrong.stderr


def test_doctor_names_the_providers_of_the_settings(openai_server: OpenAIServer) -> None:
    provider_at(openai_server)
    done = run(command("doctor"), MY_KEY=KEY)
    assert done.returncode == 0 and "mine" in done.stdout and "MY_KEY: the variable is set" in done.stdout
    assert "keep-alive-max-cost" in done.stdout


def test_a_provider_of_the_settings_answers_a_request(openai_server: OpenAIServer) -> None:
    provider_at(openai_server)
    openai_server.play(Step(text="hello"))
    done = run(command("run", "hi", "--provider", "mine", "--effort", "low", "--max-cost", "1"), MY_KEY=KEY)
    assert (done.returncode, done.stdout) == (0, "hello\n"), done.stderr
    assert openai_server.requests[0].json["reasoning_effort"] == "low"
    wrong = run(command("run", "hi", "--provider", "mine", "--max-cost", "nothing"), MY_KEY=KEY)
    assert wrong.returncode == 2 and "--max-cost" in wrong.stderr
