"""Runs the Python blocks of all pages and puts the figures they save into docs/figures.

    python docs/make_figures.py              # all pages
    python docs/make_figures.py kernel-pca   # one of them

The tests run the same blocks by `run_page`, and compare the figures with those kept here.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

DOCS = Path(__file__).resolve().parent
FIGURES = DOCS / "figures"
# Figures that no page makes: who does.
MADE_ELSEWHERE = {
    "demo.png": "make run",
    "denoising.png": "bench/denoising.py",
    "svm-modes.png": "bench/svm_modes.py",
    "explore.png": "crates/mercer-cli/tests/browser/explore_figure.py",
}


def python_blocks(page: Path) -> list[str]:
    """The Python blocks of a page, behind empty lines so that errors name lines of the page."""
    text = page.read_text()
    blocks = re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return ["\n" * text.count("\n", 0, block.start(1)) + block.group(1) for block in blocks]


def pages() -> list[Path]:
    """The pages with Python blocks: the README and those of this folder."""
    return [
        page
        for page in [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
        if python_blocks(page)
    ]


def shown(page: Path) -> set[str]:
    """The names of the figures that a page shows."""
    return set(re.findall(r"!\[[^\]]*\]\((?:docs/)?figures/([\w.-]+)\)", page.read_text()))


def run_page(page: Path, folder: Path) -> Iterator[Path]:
    """Runs the Python blocks of a page in a folder and yields the figures of the page.

    Blocks save what they like, as a reader who copies them would: the page shows some of it.
    """
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    names: dict = {"__name__": "page"}
    # Processes that a page starts find the same package.
    here = patch.dict(os.environ, PYTHONPATH=str(DOCS.parent / "python"))
    with chdir(folder), here, plt.rc_context({"savefig.dpi": 120}):
        for block in python_blocks(page):
            exec(compile(block, page, "exec"), names)
    plt.close("all")
    for figure in sorted(folder.glob("*.png")):
        if figure.name in shown(page):
            shrink(figure)
            yield figure


def shrink(figure: Path) -> None:
    """Reduces a picture to 128 colours, which is a third of its size and nothing that one sees."""
    from PIL import Image

    with Image.open(figure) as image:
        small = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(figure, optimize=True)


def main(names: list[str]) -> None:
    """Makes the figures of the pages with these names, or of all."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.path.insert(0, str(DOCS.parent / "python"))
    for page in pages():
        if names and page.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for figure in run_page(page, Path(folder)):
                shutil.copy(figure, FIGURES)
                print(f"{page.stem}: {figure.name}, {figure.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
