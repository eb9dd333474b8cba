"""The Python examples of the README and of the guides run as they are written.

With ``MERCER_WRITE_REFERENCES=1`` the pictures that they write into ``figures`` are kept: look at
them.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from pictures import make_small

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    "docs/kernels.md",
    "docs/kernel-ridge.md",
    "docs/svm.md",
    "docs/kernel-kmeans.md",
    "docs/preimages.md",
    "docs/outliers.md",
    "docs/choosing-a-kernel.md",
    "docs/histograms.md",
    "docs/own-kernels.md",
    "docs/text.md",
    "docs/pictures.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Pages write their pictures where they show them from.
    (tmp_path / "figures").mkdir()
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks, f"{page} has no Python example"
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    if os.environ.get("MERCER_WRITE_REFERENCES") == "1":
        keep(tmp_path / "figures")
    shown = set(re.findall(r"\(figures/([^)]+)\)", (ROOT / page).read_text()))
    assert {file.name for file in (tmp_path / "figures").iterdir()} == shown
    assert all((ROOT / "docs" / "figures" / name).stat().st_size < 60_000 for name in shown)


def keep(figures):
    for file in figures.iterdir():
        kept = ROOT / "docs" / "figures" / file.name
        shutil.copy(file, kept)
        make_small(kept)
