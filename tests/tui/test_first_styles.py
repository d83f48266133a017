"""The quick way to the first paint leaves no style and no colour out."""

from pathlib import Path
from typing import Any

import pytest

from cutaway.tui.app import CutawayApp
from tests.tui.kit import NARROW, WIDE, Opener, until


def styles_of(app: CutawayApp) -> dict[str, list[Any]]:
    """The rules of every widget, with those of its parts."""
    return {
        f"{number} {widget!r}": [
            widget.styles.get_rules(),
            *(widget.get_component_styles(name).get_rules() for name in sorted(widget._component_styles)),
        ]
        for number, widget in enumerate(app.screen.walk_children(with_self=True))
    }


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 10)])
@pytest.mark.parametrize("theme", ["", "paper", "ansi"])
async def test_to_style_everything_again_changes_nothing(
    tmp_path: Path, theme: str, size: tuple[int, int]
) -> None:
    """All style sheets are read with the theme that was asked for, and applied to every widget."""
    app = CutawayApp(Opener(tmp_path), root=tmp_path, theme=theme)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.session is not None)
        await pilot.pause()
        before, variables = styles_of(app), app.get_css_variables()
        app.refresh_css(animate=False)
        app.screen.update_node_styles(animate=False)
        assert styles_of(app) == before
        app.action_next_theme()
        await pilot.pause()
        assert app.get_css_variables() != variables
        assert styles_of(app) != before
