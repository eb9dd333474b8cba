"""The Python examples of the README and of the guides run as they are written."""

import re
from pathlib import Path

import pytest

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
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks, f"{page} has no Python example"
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
