"""Tables of the pages in docs/: each stands between two marks, and a script replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
MARKS = ("<!-- table -->\n", "<!-- end of table -->\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def fill(page: Path, tables: Sequence[str]) -> None:
    """Replace the tables of a page, the first between the first marks and so on."""
    pieces = page.read_text(encoding="utf-8").split(MARKS[0])
    if len(pieces) != len(tables) + 1:
        raise ValueError(f"{page.name} has {len(pieces) - 1} places for {len(tables)} tables")
    for place, words in enumerate(tables, 1):
        _, after = pieces[place].split(MARKS[1])
        pieces[place] = "\n" + words + "\n" + MARKS[1] + after
    page.write_text(MARKS[0].join(pieces), encoding="utf-8")
