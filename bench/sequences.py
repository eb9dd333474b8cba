"""Tables of string kernels on DNA and proteins; ``string_kernels.py`` is the command."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from bench import evaluate, page
from bench.string_task import Split, say

AREA = "roc_auc"
COSTS_DNA = (0.3, 1.0, 3.0, 10.0)
COSTS_PROTEIN = (0.1, 1.0, 10.0)
COSTS_PROMOTERS = (1.0, 10.0)
FASTSK = "gappy(g=10, m=4)"  # the parameters of FastSK's figure
DNA = ("spectrum(p=6)", "mismatch(k=8, m=1)", "gappy(g=8, m=2)", FASTSK)
STRANDED = ("spectrum(p=6)", "gappy(g=8, m=2)", FASTSK, "gappy(g=12, m=6)")
STRANDS = str.maketrans("ACGT", "TGCA")


def as_fastsk(K: np.ndarray, one: Split, cost: float) -> evaluate.Evaluation:
    """What FastSK's own experiments do with a matrix: its rows are samples of a linear machine,
    five of which are calibrated and averaged.
    """
    machine = LinearSVC(C=cost, class_weight="balanced", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a solver that stops early, as in the experiments
        model = CalibratedClassifierCV(machine, cv=5)
        model.fit(K[np.ix_(one.train, one.train)], one.y[one.train])
    odds = model.predict_proba(K[np.ix_(one.test, one.train)])[:, 1]
    truth = one.y[one.test]
    accuracy = float(np.mean(model.classes_[(odds > 0.5).astype(int)] == truth))
    return evaluate.Evaluation(accuracy, float(roc_auc_score(truth, odds)), cost, float("nan"))


def both_strands(texts: np.ndarray, spec: str) -> np.ndarray:
    """A kernel of DNA that is read in either direction: k(s, t) + k(s, t̄), normalised.

    t̄ is the other strand; k(s̄, t̄) = k(s, t) for kernels that treat both directions alike.
    """
    others = np.array([text.translate(STRANDS)[::-1] for text in texts], object)
    return evaluate.normalized(evaluate.matrix(texts, spec) + evaluate.matrix(texts, spec, others))


Row = tuple[str, evaluate.Evaluation]


def _cells(name: str, found: evaluate.Evaluation, most: float) -> list[str]:
    """A row of the table; the largest area of cross-validation is bold."""
    validated = "–" if np.isnan(found.validated) else f"{found.validated:.4f}"
    if found.validated == most:
        validated = f"**{validated}**"
    return [name, f"{found.cost:g}", validated, f"{found.area:.4f}", f"{found.accuracy:.4f}"]


def _plain_kernels(one: Split) -> list[Row]:
    rows = []
    for spec in DNA:
        begun = time.perf_counter()
        K = evaluate.matrix(one.texts, f"normalize({spec})")
        rows.append((spec, one.score(K, COSTS_DNA, AREA)))
        if spec == FASTSK:
            mapped = evaluate.rows_as_samples(K, one.train)
            rows.append((f"{spec}, rows as samples", one.score(mapped, COSTS_DNA, AREA)))
            rows.append((f"{spec}, FastSK's way", as_fastsk(K, one, 1.0)))
        say(spec, begun)
    return rows


def _stranded_kernels(one: Split) -> list[Row]:
    rows = []
    for spec in STRANDED:
        begun = time.perf_counter()
        K = both_strands(one.texts, spec)
        mapped = evaluate.rows_as_samples(K, one.train)
        rows.append((f"{spec}, both strands", one.score(K, COSTS_DNA, AREA)))
        words = f"{spec}, both strands, rows as samples"
        rows.append((words, one.score(mapped, COSTS_DNA, AREA)))
        say(f"both strands, {spec}", begun)
    return rows


def dna() -> str:
    """Binding sites of EP300."""
    one = Split("dna_ep300.csv.gz", "sequence")
    found = [*_plain_kernels(one), *_stranded_kernels(one)]
    most = max(each.validated for _, each in found if not np.isnan(each.validated))
    rows = [_cells(name, each, most) for name, each in found]
    rows += [
        ["reference: FastSK, g = 10, m = 4", "1", "–", "0.9907", "0.9525"],
        ["reference: gkm-SVM", "", "–", "0.9895", "0.9455"],
        ["reference: GaKCo", "", "–", "0.9880", "–"],
        ["reference: char-CNN", "", "–", "0.975", "–"],
        ["reference: LSTM", "", "–", "0.675", "–"],
        ["reference: 6-spectrum, linear SVM", "1", "–", "0.9807", "0.9305"],
    ]
    return page.table(["", "C", "cross-validated AUC", "AUC", "accuracy"], rows)


def scop() -> str:
    """A family of proteins, of which the test part has eight."""
    one = Split("scop_1_1.csv.gz", "sequence")
    rows = []
    for spec in ("spectrum(p=3)", "mismatch(k=5, m=1)", "gappy(g=8, m=4)"):
        begun = time.perf_counter()
        K = evaluate.matrix(one.texts, f"normalize({spec})")
        found = one.score(K, COSTS_PROTEIN, AREA)
        rows.append([spec, f"C = {found.cost:g}", f"{found.area:.4f}"])
        say(spec, begun)
    found = one.score(evaluate.rows_as_samples(K, one.train), COSTS_PROTEIN, AREA)
    rows.append([f"{spec}, rows as samples", f"C = {found.cost:g}", f"{found.area:.4f}"])
    found = as_fastsk(K, one, 0.01)
    rows.append([f"{spec}, FastSK's way", "C = 0.01", f"{found.area:.4f}"])
    rows += [
        ["reference: FastSK, g = 8, m = 4", "C = 0.01", "0.8531"],
        ["reference: GaKCo", "", "0.8297"],
        ["reference: LSTM", "", "0.937"],
        ["reference: 3-spectrum, linear SVM", "C = 1", "0.7177"],
    ]
    return page.table(["", "chosen or given", "AUC"], rows)


PROMOTERS = (
    "spectrum(p=3)",
    "spectrum(p=5)",
    "substrings(p=5)",
    "mismatch(k=5, m=1)",
    "gappy(g=6, m=2)",
    "gappy(g=8, m=3)",
    "subsequences(p=4, decay=0.5)",
    "edit(gamma=0.001)",
)


def left_out_errors(K: np.ndarray, y: np.ndarray, cost: float) -> int:
    """Samples that are misclassified in leave-one-out."""
    everyone = np.arange(len(y))
    found = [evaluate.fixed(K, y, np.delete(everyone, i), everyone[i : i + 1], cost)
             for i in everyone]  # fmt: skip
    return sum(one.accuracy < 1.0 for one in found)


def promoters() -> str:
    """Whether a piece of DNA begins a gene, by leave-one-out."""
    one = Split("promoters.csv.gz", "sequence")
    rows = []
    for spec in PROMOTERS:
        K = evaluate.matrix(one.texts, f"normalize({spec})")
        errors = [f"{left_out_errors(K, one.y, cost)}" for cost in COSTS_PROMOTERS]
        rows.append([spec, *errors])
    others = {
        "reference: positional 1..3-mers, SVM": "4",
        "reference: positional 1-mers, SVM": "7",
        "reference: KBANN": "4",
        "reference: back-propagation": "8",
        "reference: O'Neill": "12",
        "reference: nearest neighbour": "13",
        "reference: ID3": "19",
    }
    rows += [[name, errors, ""] for name, errors in others.items()]
    return page.table(["errors of 106", "C = 1", "C = 10"], rows)
