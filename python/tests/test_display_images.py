"""Pictures are those that were looked at, on light and on dark paper.

``MERCER_WRITE_REFERENCES=1 pytest tests/test_display_images.py`` writes them anew: look at them.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from make_figures import shrink
from matplotlib.testing.compare import compare_images
from pictures import DARK, PICTURES

REFERENCES = Path(__file__).parent / "references"
# The root of the mean squared difference of pixels from 0 to 255. Another version of a font moves
# edges of letters by about 1; the smallest mark that is missing is above 1.5.
TOLERANCE = 1.2
STYLE = {
    "font.family": "DejaVu Sans",
    "text.hinting": "none",
    "figure.dpi": 64,
    "savefig.dpi": 64,
}
CASES = [(name, "light") for name in PICTURES] + [(name, "dark") for name in DARK]


def drawn(name, paper, path, change=None):
    styles = ["default", STYLE] if paper == "light" else ["default", "dark_background", STYLE]
    with plt.style.context(styles):
        display = PICTURES[name]()
        if change is not None:
            change(display)
        display.figure_.savefig(path, metadata={"Software": None})
    shrink(path)


@pytest.mark.parametrize(("name", "paper"), CASES)
def test_picture(name, paper, tmp_path):
    reference = REFERENCES / f"{name}-{paper}.png"
    if os.environ.get("MERCER_WRITE_REFERENCES") == "1":
        REFERENCES.mkdir(exist_ok=True)
        drawn(name, paper, reference)
        pytest.skip(f"{reference.name} is written: look at it")
    found = tmp_path / f"{name}-{paper}.png"
    drawn(name, paper, found)
    assert reference.exists(), "there is no reference: write it with MERCER_WRITE_REFERENCES=1"
    assert compare_images(str(reference), str(found), tol=TOLERANCE) is None


def labelled(text):
    """A change that takes away the topmost mark whose name begins so, and not its name."""

    def change(display):
        found = [one for one in display.ax_.collections if str(one.get_label()).startswith(text)]
        found[-1].set_visible(False)

    return change


def without_legend(display):
    display.figure_.legends[0].set_visible(False)


def without_diamond(display):
    (found,) = [line for line in display.axes_[1].lines if line.get_marker() == "D"]
    found.set_visible(False)


def without_star_of_cells(display):
    display.ax_.collections[-1].set_visible(False)


def without_margin(display):
    (found,) = [one for one in display.ax_.collections if len(getattr(one, "levels", [])) == 2]
    found.set_visible(False)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("embedding", without_legend),
        ("path", labelled("best")),
        ("path_heat", without_star_of_cells),
        ("spectrum", without_diamond),
        ("outliers", labelled("flagged")),
        ("boundary", labelled("support vectors")),
        ("boundary", without_margin),
    ],
)
def test_a_changed_picture_is_noticed(name, change, tmp_path):
    """The tolerance is small enough to see that one part of a picture is missing."""
    drawn(name, "light", tmp_path / "found.png", change)
    copy = tmp_path / "reference.png"
    copy.write_bytes((REFERENCES / f"{name}-light.png").read_bytes())
    assert compare_images(str(copy), str(tmp_path / "found.png"), tol=TOLERANCE) is not None


def test_references_are_few_and_small():
    files = sorted(REFERENCES.glob("*.png"))
    assert [file.stem for file in files] == sorted(f"{name}-{paper}" for name, paper in CASES)
    assert sum(file.stat().st_size for file in files) < 1_000_000
