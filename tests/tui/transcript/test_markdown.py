"""Markdown as it looks in cells, and the words beside it."""

from cutaway.tui.transcript import TranscriptBlock
from cutaway.tui.transcript.ink import BOLD, ITALIC, STRIKE, UNDERLINE, Line
from cutaway.tui.transcript.layout import Layout


def lines(text: str, width: int = 60) -> list[Line]:
    layout = Layout()
    layout.set_width(width)
    layout.append(TranscriptBlock("a", "answer", text))
    layout.measure(0, 10**6)
    found = [layout.line(spot) for row in range(layout.height) if (spot := layout.spot(row))]
    return [line or Line((), 0) for line in found]


def shown(text: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in lines(text, width)]


def words(text: str) -> str:
    layout = Layout()
    placed = layout.append(TranscriptBlock("a", "answer", text))
    return "\n".join(layout.plain(placed, index) for index in range(len(placed.sections)))


def attributes(text: str, part: str) -> int:
    return next(span.ink.attributes for line in lines(text) for span in line.spans if part in span.text)


def test_emphasis_differs_without_colour() -> None:
    """Bold, italic, struck and underlined text, also within each other and in headings."""
    assert attributes("a **b** c", "b") == BOLD
    assert attributes("a *b* c", "b") == ITALIC
    assert attributes("a ~~b~~ c", "b") == STRIKE
    assert attributes("***b***", "b") == BOLD | ITALIC
    assert attributes("[b](http://x)", "b") == UNDERLINE
    assert attributes("# b", "b") == BOLD | UNDERLINE
    assert attributes("## b", "b") == BOLD


def test_lists_nest_and_hang() -> None:
    text = "1. first thing to do\n   - nested\n     - deep\n2. second\n\n   with a paragraph\n10. third"
    assert shown(text, 24) == [
        "1. first thing to do",
        "   ◦ nested",
        "     ▪ deep",
        "2. second",
        "",
        "   with a paragraph",
        "3. third",
    ]


def test_a_list_over_several_chunks_is_numbered_on() -> None:
    """Each item is a chunk of its own, yet counts on as one list; another list starts with its own number."""
    assert shown("1. a\n1. b\n\n1. c\n\ntext\n\n5) x\n6) y") == [
        "1. a", "2. b", "", "3. c", "", "text", "", "5) x", "6) y",
    ]  # fmt: skip


def test_tasks_keep_their_boxes() -> None:
    assert shown("- [x] done\n- [ ] open\n-") == ["• [x] done", "• [ ] open", "•"]


def test_quotes_have_a_bar_on_every_row() -> None:
    assert shown("> quoted words that wrap here\n>\n> - item\n>> deeper", 22) == [
        "▎ quoted words that",
        "▎ wrap here",
        "▎",
        "▎ • item",
        "▎ ▎ deeper",
    ]


def test_code_shows_its_language_and_keeps_its_text() -> None:
    """A fence is shown as it is: no wrap at words, tabs at their stops, Markdown in it is text."""
    assert shown("```py title=x\n\tif **a**:\n\n  <b>\n```") == ["┌ py", "│     if **a**:", "│", "│   <b>"]
    assert words("```\n\ta\n\n\n```") == "\ta\n\n"
    assert shown("    indented\n\n    more") == ["│ indented", "│", "│ more"]
    assert shown("```nosuchlanguage\nx\n```") == ["┌ nosuchlanguage", "│ x"]


def test_code_is_coloured_by_role() -> None:
    roles = {
        span.ink.role for line in lines('```python\ndef f(): return "x"  # y\n```') for span in line.spans
    }
    assert {"code-keyword", "code-function", "code-string", "code-comment"} <= roles


def test_a_table_fits_its_text() -> None:
    text = "| name | n |\n|:--|--:|\n| a | 1 |\n| 日本 | 22 |\n| **b** | |\n\nafter"
    assert shown(text) == [
        "name │  n",
        "─────┼───",
        "a    │  1",
        "日本 │ 22",
        "b    │",
        "",
        "after",
    ]


def test_a_wide_table_wraps_its_widest_columns() -> None:
    text = "| k | long column |\n|---|---|\n| key | some words that do not fit in the row |"
    assert shown(text, 24) == [
        "k   │ long column",
        "────┼───────────────────",
        "key │ some words that do",
        "    │ not fit in the row",
    ]


def test_a_table_with_too_many_columns_becomes_records() -> None:
    """Nothing is cut off: each cell is shown with its column's name."""
    header = "|".join(f" column{i} " for i in range(6))
    cells = "|".join(f" value{i} " for i in range(6))
    rows = shown(f"|{header}|\n|{'---|' * 6}\n|{cells}|\n|{cells}|", 30)
    assert rows[0] == "column0: value0"
    assert rows[6].startswith("───")
    assert len(rows) == 13


def test_a_rule_spans_the_width() -> None:
    assert shown("***", 20) == ["─" * 20]


def test_html_and_reference_definitions_are_text() -> None:
    assert shown("<script>x</script>\n\n[a]: http://b\n\n&lt;b&gt; &amp;") == [
        "<script>x</script>", "", "[a]: http://b", "", "<b> &",
    ]  # fmt: skip


def test_backslashes_are_kept_but_before_markdown() -> None:
    """Paths and formulas stay exact; an escaped star is a star."""
    assert shown("\\*no\\* C:\\[x]\\ \\(y\\) a\\_b") == ["*no* C:\\[x]\\ \\(y\\) a_b"]


def test_a_link_shows_where_it_leads() -> None:
    assert shown("[text](http://a.b/c) <http://d.e> [f](javascript:alert)") == [
        "text (http://a.b/c) http://d.e [f](javascript:alert)"
    ]


def test_the_words_have_no_wraps_and_no_decoration() -> None:
    """G10: what is copied is the source's words, with list markers, and code with its tabs."""
    assert words("> a\n\n- b\n  - c\n\n1. d\n\n| e | f |\n|---|---|\n| g | h |\n\n---") == (
        "a\n- b\n  - c\n1. d\ne | f\ng | h\n---"
    )
