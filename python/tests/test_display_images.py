"""Pictures are those that were looked at, on light and on dark paper.

``MERCER_WRITE_REFERENCES=1 pytest tests/test_display_images.py`` writes them anew: look at them.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.testing.compare import compare_images
from pictures import DARK, PICTURES, make_small

REFERENCES = Path(__file__).parent / "references"
# The root of the mean squared difference of pixels from 0 to 255. Another version of a font moves
# edges of letters by about 1; a missing legend or another colour is above 5.
TOLERANCE = 2.5
STYLE = {
    "font.family": "DejaVu Sans",
    "text.hinting": "none",
    "figure.dpi": 64,
    "savefig.dpi": 64,
}
CASES = [(name, "light") for name in PICTURES] + [(name, "dark") for name in DARK]


def drawn(name, paper, path):
    styles = ["default", STYLE] if paper == "light" else ["default", "dark_background", STYLE]
    with plt.style.context(styles):
        display = PICTURES[name]()
        display.figure_.savefig(path, metadata={"Software": None})
    make_small(path)


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


def test_a_changed_picture_is_noticed(tmp_path):
    """The tolerance is small enough to see that one part of a picture is missing."""
    with plt.style.context(["default", STYLE]):
        display = PICTURES["embedding"]()
        display.figure_.legends[0].remove()
        display.figure_.savefig(tmp_path / "without.png")
    reference = REFERENCES / "embedding-light.png"
    copy = tmp_path / "reference.png"
    copy.write_bytes(reference.read_bytes())
    assert compare_images(str(copy), str(tmp_path / "without.png"), tol=TOLERANCE) is not None


def test_references_are_few_and_small():
    files = sorted(REFERENCES.glob("*.png"))
    assert [file.stem for file in files] == sorted(f"{name}-{paper}" for name, paper in CASES)
    assert sum(file.stat().st_size for file in files) < 1_000_000
