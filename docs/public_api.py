"""Compare the public items of the Rust library, as rustdoc shows them, with docs/public-api.txt.

Run after `cargo doc`. With --write, the list is written anew: the API is changed on purpose.
"""

from __future__ import annotations

import difflib
import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "target" / "doc" / "mercer"
LIST = ROOT / "docs" / "public-api.txt"
#: The most items that the library may have: types, traits, functions, and their own methods.
MOST = 383


def items() -> list[str]:
    """Return a line for each type, trait, function and constant, and for each method of theirs."""
    links = re.findall(r'<a href="([\w/]*\w+\.\w+\.html)">', (PAGES / "all.html").read_text())
    found = set()
    for link in links:
        if link.startswith("prelude/"):  # the same items once more
            continue
        kind, name = re.fullmatch(r"(?:[\w/]+/)?(\w+)\.(\w+)\.html", link).groups()
        path = "::".join(["mercer", *link.split("/")[:-1], name])
        found.add(f"{kind} {path}")
        found |= {f"method {path}::{method}" for method in methods(PAGES / link, kind)}
    return sorted(found)


def methods(page: Path, kind: str) -> set[str]:
    text = html.unescape(page.read_text())
    if kind == "trait":
        return set(re.findall(r'<section id="(?:tymethod|method)\.(\w+)"', text))
    start = text.find('id="implementations-list"')
    if start < 0:
        return set()
    marks = ('id="deref-methods', 'id="trait-implementations"', 'id="synthetic-')
    ends = [text.find(mark, start) for mark in marks]
    end = min((place for place in ends if place > 0), default=len(text))
    return set(re.findall(r'<section id="method\.(\w+?)(?:-\d+)?"', text[start:end]))


def main() -> int:
    """Compare, or write; the exit code."""
    found = items()
    if "--write" in sys.argv[1:]:
        LIST.write_text("\n".join(found) + "\n")
        return 0
    listed = LIST.read_text().splitlines()
    if found != listed:
        changes = difflib.unified_diff(listed, found, "listed", "found", lineterm="", n=0)
        print(*changes, sep="\n")
        print("The public API changed. If that is on purpose: python docs/public_api.py --write")
        return 1
    if len(found) > MOST:
        print(f"The library has {len(found)} public items; at most {MOST} are agreed on.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
