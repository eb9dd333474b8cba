"""``mercer.explore``: the page of the command, from Python."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import mercer

COMMAND = Path(__file__).resolve().parents[2] / "target/debug/mercer"


@pytest.fixture
def command(monkeypatch):
    if not COMMAND.exists():
        pytest.skip(f"there is no {COMMAND}: `cargo build` makes it")
    monkeypatch.setenv("MERCER_COMMAND", str(COMMAND))


def ask(page, panel, **question):
    body = json.dumps(question).encode()
    with urllib.request.urlopen(page.url + "api/" + panel, body, timeout=60) as answer:
        return json.load(answer)


def sets(page):
    with urllib.request.urlopen(page.url + "api/start", timeout=60) as answer:
        return json.load(answer)["sets"]


def test_numbers_and_labels_are_those_of_the_page(command):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(X[:, 0] > 0, "right", "left")
    with mercer.explore(X, y, open=False) as page:
        table = sets(page)[0]
        assert (table["name"], table["n"], table["d"]) == ("table", 40, 3)
        data = ask(page, "data", data="table")
        values = np.array([column["values"] for column in data["columns"]]).T
        np.testing.assert_array_equal(values, X)
        assert data["labels"] == [{"name": "y", "cells": y.tolist()}]
        found = ask(page, "components", data="table", kernel="rbf(gamma=0.5)", components=2)
        expected = mercer.KernelPCA(2, kernel="rbf", gamma=0.5).fit_transform(X)
        np.testing.assert_allclose(
            np.abs(np.array(found["scores"][:2]).T), np.abs(expected), atol=1e-5
        )
        assert f'src="{page.url}"' in page._repr_html_()
        assert page.url in repr(page)
    with pytest.raises(urllib.error.URLError):
        sets(page)
    assert "closed" in repr(page)


def test_strings_and_frames(command):
    pd = pytest.importorskip("pandas")
    with mercer.explore(["simpson bart", "simpson lisa", "flanders ned"], open=False) as page:
        assert sets(page)[0]["kind"] == "strings"
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.5, 0.25, 1.0]})
    with mercer.explore(frame, pd.Series([1, 2, 1], name="kind"), open=False) as page:
        data = ask(page, "data", data="table")
        assert [column["name"] for column in data["columns"]] == ["a", "b"]
        assert data["labels"][0] == {"name": "kind", "cells": ["1", "2", "1"]}
    with mercer.explore(open=False) as page:
        assert sets(page)[0]["name"] == "circles"


def test_a_page_ends_with_the_program(command):
    program = "import mercer; print(mercer.explore(open=False).url)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", program]
    run = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=120)
    assert run.returncode == 0, run.stderr
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(run.stdout.strip(), timeout=10)


def test_what_is_wrong_is_said(monkeypatch):
    monkeypatch.setenv("MERCER_COMMAND", "/no/such/mercer")
    with pytest.raises(FileNotFoundError, match="Install it"):
        mercer.explore()
    monkeypatch.setenv("MERCER_COMMAND", os.fspath(COMMAND) if COMMAND.exists() else "true")
    with pytest.raises(ValueError, match="without X"):
        mercer.explore(y=[1, 2])
    with pytest.raises(ValueError, match="one label for each"):
        mercer.explore(np.zeros((3, 2)), [1, 2], open=False)
    with pytest.raises(ValueError, match="row for each sample"):
        mercer.explore(np.zeros(3), open=False)
    with pytest.raises(ValueError, match="at least two samples"):
        mercer.explore(np.zeros((1, 2)), open=False)
