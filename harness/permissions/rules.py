"""Rules of the user: `tool` or `tool(specifier)`, each with an outcome and where it came from."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from cutaway.harness.errors import ConfigError
from cutaway.harness.permissions.decision import Outcome
from cutaway.harness.permissions.patterns import CommandPattern, command_pattern

COMMAND_TOOL = "run_in_terminal"
SESSION = "this session"

_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Rule(Struct, frozen=True):
    """One rule; `command` is the specifier of a command tool, read.

    An allow rule without specifier covers all calls of its tool that stay in the workspace; further
    out it must name the path. A specifier is a command (`git log *`), a path pattern relative to the
    workspace (`src/**`), or a URL (`https://docs.python.org/**`).
    """

    tool: str
    specifier: str
    outcome: Outcome
    origin: str
    command: CommandPattern | None = None

    @classmethod
    def parse(cls, text: str, outcome: Outcome, origin: str, known: Iterable[str] = ()) -> "Rule":
        """Read a rule's text; `known` are the tools there are, when that is known.

        Raises ConfigError, which names the rule, what is wrong with it and the nearest valid form.
        """
        tool, specifier = _split(text.strip(), text, origin)
        names = list(known)
        if names and tool not in names:
            near = difflib.get_close_matches(tool, names, n=1, cutoff=0.4)
            hint = f"Did you mean `{_form(near[0], specifier)}`?" if near else f"Tools: {', '.join(names)}."
            raise ConfigError(f"Rule `{text}` ({origin}): there is no tool `{tool}`. {hint}")
        command = None
        if tool == COMMAND_TOOL and specifier:
            try:
                command = command_pattern(specifier, grants=outcome == "allow")
            except ValueError as error:
                raise ConfigError(f"Rule `{text}` ({origin}): {error}.") from error
        return cls(tool, specifier, outcome, origin, command)

    def __str__(self) -> str:
        return _form(self.tool, self.specifier)

    @property
    def named(self) -> str:
        """The rule and where it came from, for a person."""
        return f"{self} ({self.origin})"


def _form(tool: str, specifier: str) -> str:
    return f"{tool}({specifier})" if specifier else tool


def _split(rule: str, text: str, origin: str) -> tuple[str, str]:
    """Part a rule into tool and specifier, or say how it would be written."""
    name = _NAME.match(rule)
    if name is None:
        raise ConfigError(
            f"Rule `{text}` ({origin}) does not start with a tool's name. Write `tool` or `tool(specifier)`, "
            "such as `read_file` or `run_in_terminal(git status)`."
        )
    tool, rest = name[0], rule[name.end() :]
    if not rest:
        return tool, ""
    inner = rest.strip().removeprefix("(").removesuffix(")").strip()
    if old := re.fullmatch(r"(.+):\*", inner) if tool == COMMAND_TOOL else None:
        inner = f"{old[1]} *"
    elif rest.startswith("(") and rest.endswith(")") and inner:
        return tool, inner
    raise ConfigError(f"Rule `{text}` ({origin}) is malformed. Write `{_form(tool, inner)}`.")


@dataclass(slots=True)
class Rules:
    """All rules of a session; the user may grant more while it runs."""

    _rules: list[Rule] = field(default_factory=list)

    @classmethod
    def parse(
        cls,
        *,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        ask: Iterable[str] = (),
        origin: str = "flag",
        known: Iterable[str] = (),
    ) -> "Rules":
        """Read rules of one origin; "flag" is told apart as `flag --allow` and so on.

        Raises ConfigError for the first malformed one.
        """
        names = list(known)
        texts: list[tuple[Outcome, Iterable[str]]] = [("deny", deny), ("ask", ask), ("allow", allow)]
        return cls(
            [
                Rule.parse(text, outcome, f"flag --{outcome}" if origin == "flag" else origin, names)
                for outcome, of_outcome in texts
                for text in of_outcome
            ]
        )

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def add(self, rules: Iterable[Rule]) -> None:
        """Add rules of another origin; their order does not matter, since deny goes before ask and allow."""
        self._rules.extend(rules)

    def grant(self, text: str) -> Rule:
        """Allow something until the session ends, and return that rule; raises ConfigError."""
        rule = Rule.parse(text, "allow", SESSION)
        if rule not in self._rules:
            self._rules.append(rule)
        return rule

    def of(self, outcome: Outcome, tool: str) -> Iterator[Rule]:
        """Yield the rules for one tool with one outcome, in the order in which they came."""
        return (rule for rule in self._rules if rule.outcome == outcome and rule.tool == tool)
