"""Every example of the gallery runs, is short, asks a question and ends with one picture."""

import ast
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from pictures import is_named

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.glob("plot_*.py"))


def test_there_are_ten_in_order():
    assert [example.name[5:7] for example in EXAMPLES] == [f"{i:02}" for i in range(1, 11)]
    assert (GALLERY / "GALLERY_HEADER.rst").read_text().startswith("Gallery\n=======\n")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_is_a_short_answer_to_a_question(example):
    source = example.read_text()
    document = ast.get_docstring(ast.parse(source))
    title, line, blank, *answer = document.split("\n")
    assert title.endswith("?")
    assert line == "=" * len(title)
    assert blank == ""
    assert " ".join(answer).count(". ") == 1, "an answer is two sentences"
    code = source.split('"""', 2)[2]
    assert sum(bool(line.strip()) for line in code.split("\n")) <= 30


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_ends_with_one_picture(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    runpy.run_path(str(example))
    assert len(plt.get_fignums()) == 1
    figure = plt.gcf()
    figure.canvas.draw()
    assert figure.axes
    for ax in figure.axes:
        assert ax.has_data()
        scale = ax.get_label() == "<colorbar>"
        assert ax.get_ylabel() if scale else is_named(ax)
    drawn = figure.get_tightbbox(figure.canvas.get_renderer())
    assert drawn.x0 >= -0.02
    assert drawn.x1 <= figure.get_figwidth() + 0.02
    assert list(tmp_path.iterdir()) == []
