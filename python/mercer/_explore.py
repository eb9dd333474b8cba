"""The page on which kernels can be explored, opened from Python."""

import csv
import html
import os
import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path

import numpy as np

_MISSING = (
    "mercer.explore starts the command `mercer`, which was not found. Install it (cargo install "
    "--path crates/mercer-cli), put it on PATH, or name it in the variable MERCER_COMMAND."
)
_START = 60


class Explorer:
    """A running page. As the last value of a notebook cell it is shown there; else open ``url``."""

    def __init__(self, process, folder, height):
        self._process, self._folder, self._height = process, folder, height
        self._finalizer = weakref.finalize(self, _end, process, folder)
        self.url = process.stdout.readline().strip()
        if not self.url:
            message = process.stderr.read().strip()
            self.close()
            raise RuntimeError(message or "the command `mercer explore` ended without an address")

    def close(self):
        """Ends the server and removes the table that was written for it."""
        self._finalizer()

    def __repr__(self):
        state = "closed" if self._process.poll() is not None else "open it in a browser"
        return f"Explorer({self.url}, {state})"

    def _repr_html_(self):
        address = html.escape(self.url, quote=True)
        return (
            f'<iframe src="{address}" width="100%" height="{self._height}" style="border:0" '
            f'title="mercer explore"></iframe>'
        )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def explore(X=None, y=None, *, open=None, port=0, height=900):
    """Opens a page to explore kernels on ``X``, coloured by ``y``: embeddings, components, support
    vector machines, regressions, clusters and outliers that follow the kernel's sliders.

    The page is served by the command ``mercer``, which must be installed; it is looked for in the
    environment variable ``MERCER_COMMAND`` and on ``PATH``.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features), or list of str, default=None
        The samples: numbers, or strings. Without them, choose among built-in data sets.
    y : array-like of shape (n_samples,), default=None
        Classes, or other labels.
    open : bool, default=None
        Whether to open a browser. By default not in a notebook, where the page appears below the
        cell.
    port : int, default=0
        The port; 0 is any free one.
    height : int, default=900
        The height of the page in a notebook, in pixels.

    Returns
    -------
    Explorer
        With the address as ``url``; ``close()`` ends the server.
    """
    command = os.environ.get("MERCER_COMMAND") or shutil.which("mercer")
    if not command or not shutil.which(command):
        raise FileNotFoundError(_MISSING)
    if X is None and y is not None:
        raise ValueError("y is given without X")
    if open is None:
        open = not _is_notebook()
    words = [command, "explore", "--quiet", "--frames", "--port", str(port)]
    folder = tempfile.TemporaryDirectory(prefix="mercer-explore-")
    if X is not None:
        words += _write(Path(folder.name), X, y)
    if not open:
        words.append("--no-open")
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder.name,
        start_new_session=True,
    )
    return Explorer(process, folder, height)


def _end(process, folder):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=_START)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdout, process.stderr):
        stream.close()
    folder.cleanup()


def _is_notebook():
    try:
        shell = get_ipython()
    except NameError:
        return False
    return shell.__class__.__name__ == "ZMQInteractiveShell"


def _write(folder, X, y):
    """Writes the samples as a table; the words that name it."""
    names, columns = _columns(X)
    words = []
    if y is not None:
        label = str(getattr(y, "name", None) or "y")
        y = np.asarray(y)
        if y.ndim != 1 or len(y) != len(columns[0]):
            raise ValueError(
                f"y has shape {y.shape}, but there are {len(columns[0])} samples: it must have one "
                "label for each"
            )
        while label in names:
            label += "_"
        names, columns = [*names, label], [*columns, y]
        words = ["--label", label]
    if isinstance(columns[0][0], str):
        words += ["--columns", names[0]]
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))
    return ["table.csv", "--header", "yes", *words]


def _columns(X):
    """The names and values of the columns of numbers, or of one column of strings."""
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = [str(name) for name in X.columns]
        values = [np.asarray(X[name]) for name in X.columns]
    else:
        values = np.asarray(X)
        if values.dtype.kind in "US" or (values.dtype == object and values.ndim == 1):
            return ["text"], [[str(text) for text in values.reshape(-1)]]
        if hasattr(X, "toarray"):
            values = X.toarray()
        values = np.asarray(values, dtype=float)
        if values.ndim != 2:
            raise ValueError(
                f"X has shape {values.shape}; it must have a row for each sample and a column for "
                "each feature"
            )
        names = [f"x{place}" for place in range(values.shape[1])]
        values = list(values.T)
    if not values or len(values[0]) < 2:
        raise ValueError("X must have at least two samples and one column")
    return names, values
