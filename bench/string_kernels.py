"""String kernels on published sets: ``bench/string_kernels.py [--only SET] [--write]``.

Support vector machines with each kernel, beside figures of others. C is chosen by cross-validation
of the training samples. ``--write`` puts the tables into docs/string-kernels.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import evaluate, page, sequences  # noqa: E402
from bench.data import folder  # noqa: E402
from bench.string_task import Split, say  # noqa: E402

PAGE = page.DOCS / "string-kernels.md"
COSTS = (1.0, 10.0)
NAMES = (
    "spectrum(p=2)",
    "spectrum(p=3)",
    "substrings(p=5)",
    "all_substrings",
    "exponential(decay=0.5)",
    "mismatch(k=3, m=1)",
    "gappy(g=4, m=1)",
    "subsequences(p=3, decay=0.5)",
    "edit(gamma=0.1)",
)


def last_letters(texts: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, k: int):
    """Accuracy of the commoner class among training names with the same last letters."""
    commonest = _commonest(y[train])
    groups: dict[str, list[str]] = {}
    for i in train:
        groups.setdefault(texts[i][-k:], []).append(y[i])
    told = {end: _commonest(np.array(found)) for end, found in groups.items()}
    return float(np.mean([told.get(texts[i][-k:], commonest) == y[i] for i in test]))


def _commonest(y: np.ndarray) -> str:
    values, counts = np.unique(y, return_counts=True)
    return str(values[counts.argmax()])


def names() -> str:
    """Whether a first name is a man's or a woman's, in five folds."""
    one = Split("names.csv.gz", "name")
    texts = np.array([text.lower() for text in one.texts], object)
    marked = np.array([f"^{text}$" for text in texts], object)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(texts, one.y))
    rows = []
    for spec in NAMES:
        begun = time.perf_counter()
        cells = []
        for strings in (texts, marked):
            K = evaluate.matrix(strings, f"normalize({spec})")
            found = [evaluate.evaluate(K, one.y, a, b, COSTS).accuracy for a, b in folds]
            cells.append(evaluate.percent(found))
        rows.append([spec, *cells])
        say(spec, begun)
    for k, word in ((1, "letter"), (2, "two letters"), (3, "three letters")):
        found = [last_letters(texts, one.y, a, b, k) for a, b in folds]
        rows.append([f"commoner class of the last {word}", evaluate.percent(found), ""])
    rows += [
        ["reference: naive Bayes, last letter (NLTK book)", "76", ""],
        ["reference: naive Bayes, last two letters (NLTK book)", "78", ""],
    ]
    return page.table(["", "as they are", "with marks of begin and end"], rows)


REUTERS = (
    "normalize(spectrum(p=1, unit=words))",
    "normalize(spectrum(p=2, unit=words))",
    "normalize(substrings(p=2, unit=words))",
    "normalize(spectrum(p=3))",
    "normalize(spectrum(p=4))",
    "normalize(spectrum(p=5))",
    "normalize(spectrum(p=6))",
    "normalize(substrings(p=5))",
    "normalize(spectrum(p=5)) + normalize(spectrum(p=1, unit=words))",
)


def reuters() -> str:
    """News by topic."""
    one = Split("reuters_r8.csv.gz", "text")
    rows = []
    for spec in REUTERS:
        begun = time.perf_counter()
        found = one.score(evaluate.matrix(one.texts, spec), COSTS, "accuracy")
        rows.append([f"`{spec}`", f"C = {found.cost:g}", f"{100 * found.accuracy:.2f}"])
        say(spec, begun)
    rows += [
        ["reference: linear SVM (Cardoso-Cachopo 2007)", "", "96.98"],
        ["reference: tf-idf, linear SVM", "C = 1", "97.44"],
    ]
    return page.table(["", "chosen or given", "accuracy"], rows)


SETS: dict[str, tuple[str, Callable[[], str]]] = {
    "dna": ("dna_ep300.csv.gz", sequences.dna),
    "scop": ("scop_1_1.csv.gz", sequences.scop),
    "promoters": ("promoters.csv.gz", sequences.promoters),
    "names": ("names.csv.gz", names),
    "reuters": ("reuters_r8.csv.gz", reuters),
}


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    return page.script("String kernels on published sets.", PAGE, SETS, folder(), argv)


if __name__ == "__main__":
    sys.exit(main())
