"""Tables of the pages in docs/: each stands between two marks, and a script replaces it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def marks(name: str = "") -> tuple[str, str]:
    """The lines around a table: with a name where several scripts write to a page."""
    named = f"table {name}".strip()
    return f"<!-- {named} -->\n", f"<!-- end of {named} -->\n"


#: The marks of a page that one script writes to.
MARKS = marks()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def fill(page: Path, tables: Sequence[str], name: str = "") -> None:
    """Replace the tables of a page, the first between the first marks and so on."""
    begin, end = marks(name)
    pieces = page.read_text(encoding="utf-8").split(begin)
    if len(pieces) != len(tables) + 1:
        raise ValueError(f"{page.name} has {len(pieces) - 1} places for {len(tables)} tables")
    for place, words in enumerate(tables, 1):
        _, after = pieces[place].split(end)
        pieces[place] = "\n" + words + "\n" + end + after
    page.write_text(begin.join(pieces), encoding="utf-8")


# Tables of a page by name: the file of data that each needs, and what makes it.
Sets = Mapping[str, "tuple[str, Callable[[], str]]"]


def script(about: str, page: Path, sets: Sets, folder: Path, argv: Sequence[str] | None) -> int:
    """The command of a script that makes all tables of a page; returns the exit code."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", metavar="SET", choices=sets, help="one of " + ", ".join(sets))
    parser.add_argument("--write", action="store_true", help=f"write the tables into {page.name}")
    arguments = parser.parse_args(argv)
    if arguments.write and arguments.only:
        parser.error("--write needs all tables, so it does not go with --only")
    chosen = {name: one for name, one in sets.items() if arguments.only in (None, name)}
    missing = [file for file, _ in chosen.values() if not (folder / file).is_file()]
    if missing:
        print(f"skipped: {', '.join(missing)}: not in the data folder, {folder}")
        return 0
    begun, tables = time.perf_counter(), []
    for name, (_, make) in chosen.items():
        tables.append(make())
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
        print(tables[-1], flush=True)
    if arguments.write:
        fill(page, tables)
    return 0
