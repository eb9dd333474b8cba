"""The Python examples of the README and of the guide run as written, and make their figures."""

import re
from pathlib import Path

import pytest
from make_figures import FIGURES, MADE_ELSEWHERE, pages, run_page, shown
from matplotlib.testing.compare import compare_images

import mercer

ROOT = Path(__file__).resolve().parents[2]
PAGES = [pytest.param(page, id=page.stem) for page in pages()]
# Root mean square of differences of colours, of 255: room for rounding, not for a line that moved.
TOLERANCE = 4


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_and_make_the_figures_of_the_page(page, tmp_path):
    made = {figure.name: figure for figure in run_page(page, tmp_path)}
    assert set(made) == shown(page) - set(MADE_ELSEWHERE)
    for name, figure in made.items():
        assert compare_images(str(FIGURES / name), str(figure), TOLERANCE) is None, name


def test_every_figure_is_shown_small_and_made_by_a_page():
    on_pages = {name for page in (ROOT / "docs").glob("*.md") for name in shown(page)}
    on_pages |= shown(ROOT / "README.md")
    sizes = {figure.name: figure.stat().st_size for figure in FIGURES.iterdir()}
    assert set(sizes) == on_pages
    assert not {name for name, size in sizes.items() if size > 80_000} - set(MADE_ELSEWHERE)


def test_the_reference_has_every_public_name():
    text = "".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    found = re.findall(r"auto(?:class|function|exception|module):: mercer\.(\w+)", text)
    assert not set(mercer.__all__) - set(found) - {"__version__"}
