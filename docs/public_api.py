"""List the public items of the Rust library, as rustdoc shows them, and compare them with docs/public-api.txt.

Run after `cargo doc`. With --write, the list is written anew: a change of the public API is made on purpose.
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
MOST = 350


def items() -> list[str]:
    """Return a line for each type, trait, function and constant, and for each method that is their own."""
    links = re.findall(r'<a href="([\w/.]+\.html)">', (PAGES / "all.html").read_text())
    found = set()
    for link in links:
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
    ends = [text.find(mark, start) for mark in ('id="trait-implementations"', 'id="synthetic-')]
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
        print(*difflib.unified_diff(listed, found, "docs/public-api.txt", "the library", lineterm="", n=0), sep="\n")
        print("The public API changed. If that is on purpose: python docs/public_api.py --write")
        return 1
    if len(found) > MOST:
        print(f"The library has {len(found)} public items; at most {MOST} are agreed on.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
