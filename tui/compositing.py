"""What a paint costs: only the widgets whose own part of the screen has changed."""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class LocalCompositor(Compositor):
    """Leaves out the widgets that lie outside what is painted.

    Textual 8 asks every widget in sight for its rows with each paint, and throws most of them away: it looks
    where a widget may be seen, not where it lies. That is a fifth of a slow stream's processor time.
    """

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            if shown and (crop is None or crop.overlaps(shown)):
                yield region, clip, widget.render_lines(shown.translate((-region.x, -region.y)))
