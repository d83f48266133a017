"""Themes are readable files, readable in both senses."""

from pathlib import Path

import pytest
from textual.color import Color

from cutaway.tui.themes import (
    OWN_VARIABLES,
    PACKAGED,
    ThemeBroken,
    contrast,
    load_themes,
    read_theme,
    weak_contrasts,
)

PACKAGED_FILES = sorted(PACKAGED.glob("*.toml"))
GOOD = (PACKAGED / "midnight.toml").read_text()


def test_contrast_is_the_ratio_of_the_standard() -> None:
    assert contrast(Color.parse("#000000"), Color.parse("#ffffff")) == pytest.approx(21)
    assert contrast(Color.parse("#777777"), Color.parse("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("path", PACKAGED_FILES, ids=lambda path: path.stem)
def test_text_can_be_read_in_every_packaged_theme(path: Path) -> None:
    """G12: body text has 4.5:1 and dim text 3:1 on every ground, computed from the theme's values."""
    assert weak_contrasts(read_theme(path)) == []


@pytest.mark.parametrize(
    "path", [path for path in PACKAGED_FILES if path.stem != "ansi"], ids=lambda path: path.stem
)
def test_coloured_words_can_be_read_too(path: Path) -> None:
    """G12: states, modes, diff signs and meter parts are text as well: 4.5:1 on the background."""
    theme = read_theme(path)
    values = theme.to_color_system().generate() | theme.variables
    grounds = {role for role in OWN_VARIABLES if role.endswith("-background")} | {"text-disabled", "rule"}
    roles = {"primary", "secondary", "accent", "success", "warning", "error", *OWN_VARIABLES} - grounds
    faint = {
        role: round(ratio, 2)
        for role in roles
        if (ratio := contrast(Color.parse(values[role]), Color.parse(values["background"]))) < 4.5
    }
    assert faint == {}
    for part in ("added", "removed", "user", "code"):
        ground = Color.parse(values[f"{part}-background"])
        assert contrast(Color.parse(values["foreground"]), ground) >= 4.5
        if part in values:
            assert contrast(Color.parse(values[part]), ground) >= 4.5


def test_the_sixteen_colour_theme_names_no_other_colour() -> None:
    theme = read_theme(PACKAGED / "ansi.toml")
    values = [
        theme.primary,
        theme.background,
        theme.foreground,
        *(theme.variables[key] for key in OWN_VARIABLES),
    ]
    assert all(value and value.startswith("ansi_") for value in values)
    assert theme.background == theme.foreground == "ansi_default"


def test_a_broken_file_is_named_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD.replace("midnight", "mine"))
    (tmp_path / "torn.toml").write_text("name = ")
    loaded = load_themes(tmp_path)
    assert loaded.named("mine") is not None
    assert loaded.named("midnight") is not None
    assert len(loaded.problems) == 1
    assert "torn.toml" in loaded.problems[0]


def test_a_users_theme_wins_by_name(tmp_path: Path) -> None:
    (tmp_path / "midnight.toml").write_text(GOOD.replace("#12151c", "#000001"))
    theme = load_themes(tmp_path).named("midnight")
    assert theme is not None
    assert theme.background == "#000001"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("primary =", "primry ="), "colors.primry is not known. Did you mean colors.primary?"),
        (('error = "#e48a8a"', ""), "colors.error is missing"),
        (("#12151c", "#12151"), "'#12151' is not a colour"),
        (('"#12151c"', "7"), "background must be text"),
        (("rule =", "ruler ="), "variables.ruler is not known. Did you mean variables.rule?"),
        (('name = "midnight"', 'name = "[red]"'), "name must be letters"),
    ],
)
def test_a_message_says_what_is_wrong_and_what_is_near(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(GOOD.replace(*change, 1))
    with pytest.raises(ThemeBroken, match=r"broken\.toml") as caught:
        read_theme(path)
    assert said in str(caught.value)
