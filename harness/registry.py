"""The tools of a session, in the one order in which the model is always told of them."""

import difflib
from collections.abc import Iterable, Iterator

from cutaway.tools.base import AnyTool, WorkspaceFacts


class Registry:
    """Knows every tool by name; the order of registration is the order in the prompt."""

    def __init__(self, tools: Iterable[AnyTool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def available(self, facts: WorkspaceFacts) -> list[AnyTool]:
        """Ask every tool whether it can be used now."""
        return [tool for tool in self._tools.values() if tool.available(facts)]

    def get(self, name: str) -> AnyTool | None:
        """Find a tool by the name that the model used."""
        return self._tools.get(name)

    def near(self, name: str) -> list[str]:
        """Names that a model may have meant, best first."""
        return difflib.get_close_matches(name, self._tools, n=3, cutoff=0.4)
