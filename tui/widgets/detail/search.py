"""Searches and listings, grouped as a reader looks for them: by file."""

from itertools import groupby

from cutaway.harness.details import DirectoryListing, FilesFound, SearchHits
from cutaway.tui.rows import BLANK, Row, row


def search_rows(found: SearchHits) -> list[Row]:
    """The hits under the file that they are in."""
    more = "  and more: the list was cut" if found.cut else ""
    counts = f"  {len(found.hits)} hits in {found.files} files"
    rows = [row((found.query, "strong"), (counts, "dim"), (more, "warn"), hang=2)]
    for path, hits in groupby(found.hits, key=lambda hit: hit.path):
        group = list(hits)
        digits = max(len(str(hit.line)) for hit in group)
        rows += [BLANK, row((path, "name"), (f"  {len(group)}", "dim"))]
        rows += [row((f"  {hit.line:>{digits}}  ", "dim"), hit.text, hang=digits + 4) for hit in group]
    return rows if found.hits else [*rows, BLANK, row(("no line matches", "dim"))]


def files_rows(found: FilesFound) -> list[Row]:
    """The paths, and how many more there are."""
    rows = [row((found.query, "strong"), (f"  {found.total} files", "dim"), hang=2), BLANK]
    rows += [row("  ", path, hang=2) for path in found.paths]
    if (more := found.total - len(found.paths)) > 0:
        rows.append(row((f"  and {more} more", "dim")))
    return rows


def listing_rows(listing: DirectoryListing) -> list[Row]:
    """The names in a folder; folders end in a slash."""
    rows = [row((listing.path, "strong"), (f"  {listing.total} entries", "dim"), hang=2), BLANK]
    rows += [row("  ", (name, "name" if name.endswith("/") else "text"), hang=2) for name in listing.entries]
    if (more := listing.total - len(listing.entries)) > 0:
        rows.append(row((f"  and {more} more", "dim")))
    return rows
