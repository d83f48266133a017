"""Themes are TOML files: those in the package, and those in the user's folder, which win by name."""

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct
from textual.color import Color, ColorParseError
from textual.theme import Theme

DEFAULT_THEME = "midnight"
PACKAGED = Path(__file__).parent.parent / "themes"

COLORS = (
    "background",
    "surface",
    "panel",
    "foreground",
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
)
OWN_VARIABLES = {
    "text-muted": "foreground",
    "text-disabled": "foreground",
    "rule": "panel",
    "user": "primary",
    "note": "secondary",
    "added": "success",
    "removed": "error",
    "added-background": "surface",
    "removed-background": "surface",
    "user-background": "surface",
    "code-background": "surface",
    "cached": "primary",
    "written": "secondary",
    "fresh": "warning",
    "output": "success",
    "mode-plan": "primary",
    "mode-interactive": "success",
    "mode-accept-edits": "warning",
    "mode-autopilot": "error",
}
"""The variables that our style sheets use besides Textual's, with the colour that stands in for each."""

SCROLLBAR_GROUNDS = (
    "scrollbar-background",
    "scrollbar-background-hover",
    "scrollbar-background-active",
    "scrollbar-corner-color",
)

BODY_ROLES = ("foreground",)
DIM_ROLES = ("text-muted",)
GROUNDS = ("background", "surface", "panel")
BODY_CONTRAST, DIM_CONTRAST = 4.5, 3.0
"""WCAG 2.2, 1.4.3: 4.5:1 for text; 3:1, the floor for large text and marks, for what is dim on purpose."""


class ThemeBroken(ValueError):
    """A theme file that cannot be used: the file, what is wrong in it, and what would be right."""


class ThemeSet(Struct, frozen=True):
    """The themes that can be chosen, and a sentence for each file that could not be read."""

    themes: tuple[Theme, ...]
    problems: tuple[str, ...]

    def named(self, name: str) -> Theme | None:
        """Find a theme by its name."""
        return next((theme for theme in self.themes if theme.name == name), None)


def load_themes(user_folder: Path | None = None) -> ThemeSet:
    """Read the packaged themes and the user's; a broken file is named and left out, never fatal."""
    found: dict[str, Theme] = {}
    problems: list[str] = []
    for path in _theme_files(user_folder):
        try:
            theme = read_theme(path)
        except ThemeBroken as error:
            problems.append(str(error))
        else:
            found[theme.name] = theme
    return ThemeSet(tuple(found.values()), tuple(problems))


def _theme_files(user_folder: Path | None) -> Iterable[Path]:
    for folder in (PACKAGED, user_folder):
        if folder is not None and folder.is_dir():
            yield from sorted(folder.glob("*.toml"))


def read_theme(path: Path) -> Theme:
    """Read one theme; raises ThemeBroken."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeBroken(f"Theme file {path} cannot be read: {error}. Correct or remove it.") from None
    _known_keys(path, data, ("name", "title", "dark", "ansi", "colors", "variables"))
    name = data.get("name", path.stem)
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
        raise ThemeBroken(f"Theme file {path}: name must be letters, digits, '-' or '_', not {name!r}.")
    colors, variables = _table(path, data, "colors"), _table(path, data, "variables")
    _known_keys(path, colors, COLORS, "colors.")
    if missing := [key for key in COLORS if key not in colors]:
        raise ThemeBroken(
            f"Theme file {path}: colors.{missing[0]} is missing. All of {', '.join(COLORS)} are needed."
        )
    for key, value in (*colors.items(), *variables.items()):
        _check_value(path, key, value)
    theme = _theme(name, bool(data.get("dark", True)), bool(data.get("ansi", False)), colors, variables)
    _known_keys(path, variables, (*OWN_VARIABLES, *theme.to_color_system().generate()), "variables.")
    return theme


def _theme(name: str, dark: bool, ansi: bool, colors: dict[str, str], variables: dict[str, str]) -> Theme:
    filled = {key: variables.get(key, colors[standing_in]) for key, standing_in in OWN_VARIABLES.items()}
    text = {
        f"text-{role}": colors[role]
        for role in ("primary", "secondary", "accent", "success", "warning", "error")
    }
    bars = {
        "scrollbar": filled["rule"],
        "scrollbar-hover": filled["text-disabled"],
        "scrollbar-active": colors["primary"],
    }
    bars |= dict.fromkeys(SCROLLBAR_GROUNDS, colors["background"])
    return Theme(
        name=name,
        dark=dark,
        ansi=ansi,
        variables={"text": colors["foreground"]} | text | bars | filled | variables,
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["panel"],
        foreground=colors["foreground"],
        primary=colors["primary"],
        secondary=colors["secondary"],
        accent=colors["accent"],
        success=colors["success"],
        warning=colors["warning"],
        error=colors["error"],
    )


def _table(path: Path, data: dict[str, Any], key: str) -> dict[str, str]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ThemeBroken(f"Theme file {path}: {key} must be a table, [{key}].")
    return table


def _known_keys(path: Path, table: dict[str, Any], known: Iterable[str], prefix: str = "") -> None:
    names = tuple(known)
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            hint = f" Did you mean {prefix}{near[0]}?" if near else ""
            raise ThemeBroken(f"Theme file {path}: {prefix}{key} is not known.{hint}")


def _check_value(path: Path, key: str, value: object) -> None:
    if not isinstance(value, str):
        raise ThemeBroken(f'Theme file {path}: {key} must be text, such as "#82aadc", not {value!r}.')
    if key.endswith(("-style", "-text-style")):
        return
    try:
        Color.parse(value)
    except ColorParseError:
        raise ThemeBroken(f'Theme file {path}: {key} = {value!r} is not a colour; write "#82aadc".') from None


def contrast(one: Color, other: Color) -> float:
    """Contrast ratio of WCAG 2.2 between two opaque colours, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: Color) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel / 255) for channel in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def weak_contrasts(theme: Theme) -> list[str]:
    """Name every text colour of a theme that is too faint on one of its grounds; empty for 16 colours."""
    if theme.ansi:
        return []
    values = theme.to_color_system().generate() | theme.variables
    weak: list[str] = []
    for roles, least in ((BODY_ROLES, BODY_CONTRAST), (DIM_ROLES, DIM_CONTRAST)):
        for role in roles:
            for ground in GROUNDS:
                ratio = contrast(Color.parse(values[role]), Color.parse(values[ground]))
                if ratio < least:
                    weak.append(f"{role} on {ground}: {ratio:.1f}:1, at least {least}:1")
    return weak
