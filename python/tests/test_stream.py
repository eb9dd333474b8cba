"""Laws of fits and predictions on tables that are read in blocks."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from scipy import sparse

from mercer import (
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Nystroem,
    ParameterError,
    load,
    scan,
)

N = 5000
FIT = {"kernel": "rbf", "gamma": 0.3, "landmarks": 40, "random_state": 3}


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(1).normal(size=(N, 3))


@pytest.fixture(scope="module")
def targets(rows):
    return 50 + np.sin(rows[:, 0]) * rows[:, 1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frame(rows, **more):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({f"c{i}": column for i, column in enumerate(rows.T)} | more)


def parquet_parts(folder, table, cuts, row_group_size=700):
    (folder / "parts").mkdir()
    for number, (start, end) in enumerate(itertools.pairwise(cuts)):
        part = table[start:end]
        part.to_parquet(folder / f"parts/{number}.parquet", row_group_size=row_group_size)


def same(a, b):
    assert np.array_equal(a.eigenvalues_, b.eigenvalues_)
    assert np.array_equal(np.asarray(a.landmarks_), np.asarray(b.landmarks_))


@pytest.mark.parametrize("cuts", [[0, N], [0, 1024, 4096, N], [0, 1, 700, 3333, N]])
def test_a_parquet_directory_is_the_table_in_memory(folder, rows, cuts):
    parquet_parts(folder, frame(rows), cuts)
    whole = KernelPCA(3, **FIT).fit(rows)
    for source in ("parts", "parts/*.parquet"):
        found = KernelPCA(3, **FIT).fit(scan(source))
        same(found, whole)
        assert list(found.feature_names_in_) == ["c0", "c1", "c2"]
        assert found.n_features_in_ == 3
    results = found.transform(scan("parts"))
    assert np.array_equal(np.concatenate(list(results)), whole.transform(rows))


@pytest.mark.parametrize("name", ["t.npy", "t.csv", "t.csv.gz", "t.parquet", "f.npy", "t.npy.gz"])
@pytest.mark.parametrize("batch_rows", [None, 100, 1024])
def test_every_format_is_the_table_in_memory(folder, rows, name, batch_rows):
    if name.startswith("f."):
        np.save(name, np.asfortranarray(rows))
    elif name == "t.npy.gz":
        import gzip

        np.save("t.npy", rows)
        (folder / name).write_bytes(gzip.compress((folder / "t.npy").read_bytes()))
    elif "npy" in name:
        np.save(name, rows)
    elif "csv" in name:
        frame(rows).to_csv(name, index=False)
    else:
        frame(rows).to_parquet(name)
    found = KernelPCA(3, **FIT).fit(scan(name, batch_rows=batch_rows))
    same(found, KernelPCA(3, **FIT).fit(rows))


def test_single_precision_stays(folder, rows):
    np.save("t.npy", rows.astype(np.float32))
    found = KernelPCA(3, **FIT).fit(scan("t.npy"))
    assert found.eigenvalues_.dtype == np.float32
    same(found, KernelPCA(3, **FIT).fit(rows.astype(np.float32)))


def test_libsvm_text_is_sparse_rows_with_labels(folder):
    x = sparse.random_array((3000, 200), density=0.02, random_state=2, format="csr")
    y = np.where(np.asarray(x.sum(axis=1)) > 1.8, 1, -1)
    lines = []
    for i in range(x.shape[0]):
        row = x[[i]]
        pairs = zip(row.indices, row.data, strict=True)
        cells = " ".join(f"{j + 1}:{v!r}" for j, v in sorted((int(j), float(v)) for j, v in pairs))
        lines.append(f"{y[i]} {cells}\n")
    (folder / "t.libsvm").write_text("".join(lines))
    width = int(x.indices.max()) + 1
    whole = KernelRidgeClassifier(0.1, **FIT).fit(x[:, :width], y)
    found = KernelRidgeClassifier(0.1, **FIT).fit(scan("t.libsvm"))
    assert list(found.classes_) == [-1, 1]
    assert np.array_equal(found.dual_coef_, whole.dual_coef_)
    predicted = np.concatenate(list(found.predict(scan("t.libsvm"))))
    assert np.array_equal(predicted, whole.predict(x[:, :width]))


@pytest.mark.parametrize("layout", ["function", "list", "pairs", "frames", "memmap", "dataset"])
def test_any_source_is_the_table_in_memory(folder, rows, targets, layout):
    weights = np.arange(N) % 3.0
    whole = KernelRidge(0.1, **FIT).fit(rows, targets, weights)
    cuts = [0, 10, 1500, 2048, N]
    parts = list(itertools.pairwise(cuts))
    if layout == "function":
        X = lambda: ((rows[a:b], targets[a:b], weights[a:b]) for a, b in parts)  # noqa: E731
    elif layout == "list":
        X = scan(
            [np.column_stack([rows, targets, weights])[a:b] for a, b in parts], target=3, weights=4
        )
    elif layout == "pairs":
        X = scan([(rows[a:b], targets[a:b, None][:, 0], weights[a:b]) for a, b in parts])
    elif layout == "frames":
        table = frame(rows, y=targets, w=weights)
        X = scan([table[a:b] for a, b in parts], target="y", weights="w")
    elif layout == "dataset":
        dataset = pytest.importorskip("pyarrow.dataset")
        parquet_parts(folder, frame(rows, y=targets, w=weights), cuts)
        X = scan(dataset.dataset("parts"), target="y", weights="w")
    else:
        np.save("t.npy", rows)
        mapped = np.load("t.npy", mmap_mode="r")
        found = KernelRidge(0.1, **FIT).fit(mapped, targets, weights)
        assert np.array_equal(found.dual_coef_, whole.dual_coef_)
        return
    found = KernelRidge(0.1, **FIT).fit(X)
    assert np.array_equal(found.dual_coef_, whole.dual_coef_)
    assert found.intercept_ == whole.intercept_
    assert found.predict(rows).shape == (N,)


def test_several_targets_are_columns(folder, rows):
    y = np.column_stack([rows[:, 0] ** 2, rows[:, 1]])
    frame(rows, a=y[:, 0], b=y[:, 1]).to_parquet("t.parquet")
    whole = KernelRidge(0.1, **FIT).fit(rows, y)
    found = KernelRidge(0.1, **FIT).fit(scan("t.parquet", target=["a", "b"]))
    assert np.array_equal(found.dual_coef_, whole.dual_coef_)
    chosen = scan("t.parquet", columns=["c2", "c0"], target="a")
    found = KernelRidge(0.1, **FIT).fit(chosen)
    assert np.array_equal(
        found.dual_coef_, KernelRidge(0.1, **FIT).fit(rows[:, [2, 0]], y[:, 0]).dual_coef_
    )


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 1, "b": 2, "c": 0.5}])
def test_classes_are_found_in_a_pass_of_their_own(folder, rows, class_weight):
    y = np.array(["a", "b", "c"])[np.digitize(rows[:, 0], [-0.5, 1])]
    # The first block does not have all classes.
    order = np.argsort(y, kind="stable")
    rows, y = rows[order], y[order]
    frame(rows, y=y).to_csv("t.csv", index=False)
    params = FIT | {"class_weight": class_weight}
    whole = KernelRidgeClassifier(0.1, **params).fit(rows, y)
    found = KernelRidgeClassifier(0.1, **params).fit(scan("t.csv", target="y", batch_rows=512))
    assert list(found.classes_) == ["a", "b", "c"]
    assert np.allclose(found.dual_coef_, whole.dual_coef_, rtol=1e-7, atol=1e-10)
    if class_weight != "balanced":
        assert np.array_equal(found.dual_coef_, whole.dual_coef_)
    table = scan("t.csv", columns=["c0", "c1", "c2"])
    assert list(np.concatenate(list(found.predict(table)))) == list(whole.predict(rows))


@pytest.mark.parametrize("criterion", ["reconstruction", "projections"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_detector_is_that_of_the_table_in_memory(folder, rows, criterion, dtype):
    rows = rows.astype(dtype)
    np.save("t.npy", rows)
    params = FIT | {"criterion": criterion}
    whole = KernelPCADetector(5, **params).fit(rows)
    found = KernelPCADetector(5, **params).fit(scan("t.npy"))
    assert np.array_equal(found.training_scores_, whole.training_scores_)
    assert found.offset_ == whole.offset_
    assert np.array_equal(np.concatenate(list(found.predict(scan("t.npy")))), whole.predict(rows))


def test_texts_and_columns_of_several_kinds(folder, rows):
    words = np.array(["alpha", "beta", "gamma", "delta"])[np.arange(N) % 4]
    texts = [f"{word} {i % 97}" for i, word in enumerate(words)]
    frame(rows[:, :2], name=texts).to_csv("t.csv", index=False)
    params = {"landmarks": 20, "kernel": "spectrum(p=3)"}
    found = KernelPCA(2, **params).fit(scan("t.csv", columns=["name"]))
    assert np.array_equal(found.eigenvalues_, KernelPCA(2, **params).fit(texts).eigenvalues_)
    params["kernel"] = "columns(c0, c1: rbf(gamma=0.5)) + column(name: spectrum(p=2))"
    found = KernelPCA(2, **params).fit(scan("t.csv"))
    whole = KernelPCA(2, **params).fit({"c0": rows[:, 0], "c1": rows[:, 1], "name": texts})
    assert np.array_equal(found.eigenvalues_, whole.eigenvalues_)


def test_results_are_written_as_they_come(folder, rows, targets):
    np.save("t.npy", rows)
    kpca = KernelPCA(2, **FIT).fit(scan("t.npy"))
    scores = kpca.transform(rows)
    assert kpca.transform(scan("t.npy", batch_rows=300)).write("s.npy") == N
    assert np.array_equal(np.load("s.npy"), scores)
    assert kpca.transform(scan("t.npy")).write("s.parquet") == N
    assert np.array_equal(np.concatenate([X for X, _, _ in scan("s.parquet")]), scores)
    assert scan("s.parquet").reader().names == ["kernelpca0", "kernelpca1"]
    assert kpca.transform(scan("t.npy")).write("s.csv.gz") == N
    assert np.array_equal(np.concatenate([X for X, _, _ in scan("s.csv.gz")]), scores)
    ridge = KernelRidge(0.1, **FIT).fit(rows, targets)
    ridge.predict(scan("t.npy")).write("p.csv")
    assert (folder / "p.csv").read_text().startswith("prediction\n")


def test_a_write_that_fails_leaves_nothing(folder, rows):
    kpca = KernelPCA(2, **FIT).fit(rows)
    (folder / "s.csv").write_text("before")

    def broken():
        yield rows[:2000]
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        kpca.transform(broken()).write("s.csv")
    assert (folder / "s.csv").read_text() == "before"
    assert os.listdir(folder) == ["s.csv"]
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", "full.csv")
        with pytest.raises(OSError, match="No space"):
            kpca.transform(scan(rows)).write("full.csv")


def test_two_halves_are_one_fit(folder, rows, targets):
    given = FIT | {"landmarks": rows[:40]}
    table = frame(rows, y=targets)
    table[:2048].to_parquet("a.parquet")
    table[2048:].to_parquet("b.parquet")
    once = KernelRidge(0.1, **given).fit(rows, targets)
    halves = KernelRidge(0.1, **given)
    halves.partial_fit(scan("a.parquet", target="y"))
    halves.save("half.mercer")
    halves.partial_fit(scan("b.parquet", target="y"))
    # Sums are added up in another order.
    largest = abs(once.dual_coef_).max()
    np.testing.assert_allclose(halves.dual_coef_, once.dual_coef_, atol=1e-9 * largest)
    later = load("half.mercer")
    later.partial_fit(scan("b.parquet", target="y"))
    assert np.array_equal(later.dual_coef_, halves.dual_coef_)


def test_a_generator_is_enough_where_landmarks_are_given(rows, targets):
    def blocks():
        for start in range(0, N, 700):
            yield rows[start : start + 700], targets[start : start + 700]

    given = FIT | {"landmarks": rows[:40]}
    found = KernelRidge(0.1, **given).fit(blocks())
    whole = KernelRidge(0.1, **given).fit(rows, targets)
    assert np.array_equal(found.dual_coef_, whole.dual_coef_)


def test_a_generator_is_refused_before_it_is_read(rows):
    read = []

    def blocks():
        read.append(1)
        yield rows

    for estimator in (KernelPCA(2, **FIT), KernelPCADetector(**FIT)):
        with pytest.raises(ValueError, match="read only once"):
            estimator.fit(blocks())
    with pytest.raises(ValueError, match="read only once"):
        KernelPCA(2, **(FIT | {"landmarks": rows[:30]})).fit_transform(blocks())
    with pytest.raises(ValueError, match="read only once"):
        KernelPCADetector(**(FIT | {"landmarks": rows[:30]})).fit(blocks())
    assert not read
    once = blocks()
    with pytest.raises(ValueError, match="same iterator"):
        KernelPCA(2, **FIT).fit(lambda: once)


def test_bad_blocks_are_named(folder, rows):
    bad = [rows[i * 500 : (i + 1) * 500].copy() for i in range(10)]
    bad[6][17, 1] = np.nan
    with pytest.raises(ValueError, match=r"block 7.*row 3000.*NaN at row 17, column 1"):
        KernelPCA(2, **FIT).fit(scan(bad))
    bad[6] = bad[6][:, :2]
    with pytest.raises(ValueError, match=r"block 7.*2 features"):
        KernelPCA(2, **FIT).fit(scan(bad))
    parquet_parts(folder, frame(rows), [0, 2000, 4000, N])
    table = frame(rows)[4000:].copy()
    table.iloc[5, 2] = np.nan
    table.to_parquet("parts/2.parquet")
    with pytest.raises(ValueError, match=r'2\.parquet.*row 6, column "c2" is missing'):
        KernelPCA(2, **FIT).fit(scan("parts"))


def test_files_that_disagree_are_refused_before_the_first_row(folder, rows):
    parquet_parts(folder, frame(rows), [0, 2000, N])
    other = frame(rows[:10])
    for name, table, message in [
        ("columns", other[["c0", "c1"]], "has 2 columns"),
        ("names", other.rename(columns={"c1": "d"}), 'column 2 is "d"'),
        ("types", other.assign(c1="text"), 'column "c1" holds text'),
        ("single", other.assign(c1=np.float32(1)), "single precision"),
    ]:
        table.to_parquet("parts/9.parquet")
        with pytest.raises(ValueError, match=rf"9\.parquet.*{message}"):
            scan("parts")
        assert name
    (folder / "parts/9.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match=r"9\.parquet.*not a Parquet file"):
        scan("parts")
    (folder / "parts/9.parquet").unlink()
    (folder / "parts/9.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="several formats"):
        scan("parts")
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match="no table"):
        scan("empty")
    with pytest.raises(FileNotFoundError):
        scan("absent.parquet")


def test_a_source_that_changes_or_ends_early_is_refused(folder, rows):
    calls = []

    def blocks():
        calls.append(1)
        yield rows[: 3000 if len(calls) < 2 else 2000]

    with pytest.raises(ValueError, match="in a later one"):
        KernelPCA(2, **FIT).fit(blocks)
    np.save("t.npy", rows)
    content = (folder / "t.npy").read_bytes()
    (folder / "t.npy").write_bytes(content[:-100])
    with pytest.raises(ValueError, match="cut off or damaged"):
        scan("t.npy")


def test_what_cannot_be_read_in_blocks_is_refused(rows, targets):
    with pytest.raises(ParameterError, match="only with landmarks"):
        KernelPCA(2).fit(scan(rows))
    with pytest.raises(ParameterError, match="targets and weights come"):
        KernelRidge(0.1, **FIT).fit(scan(rows), targets)
    with pytest.raises(ValueError, match="requires y"):
        KernelRidge(0.1, **FIT).fit(scan(rows))
    with pytest.raises(ParameterError, match="takes no sample weights"):
        KernelPCA(2, **FIT).fit(scan(rows, weights=0))
    with pytest.raises(ParameterError, match="Python function"):
        KernelPCA(2, landmarks=5, kernel=lambda a, b: float(a @ b)).fit(scan(rows))
    with pytest.raises(ParameterError, match="batch_rows"):
        scan([rows], batch_rows=100)
    with pytest.raises(ValueError, match="no column"):
        KernelPCA(2, **FIT).fit(scan([rows], columns=[7]))


def test_labels_that_are_missing_have_a_place(folder):
    (folder / "t.csv").write_text("a,y\n1,u\n2,\n3,v\n")
    with pytest.raises(ValueError, match=r't\.csv.*line 3, column "y" is missing a label'):
        KernelRidgeClassifier(**FIT).fit(scan("t.csv", target="y"))


def test_faults_of_labels_and_weights_have_the_row_of_the_table(folder, rows):
    """Rows are counted in the whole table, not in the block that they come in."""
    labels = np.arange(N) % 3.0
    labels[4321] = np.nan
    table = frame(rows, y=labels, w=np.ones(N))
    table.to_parquet("t.parquet")
    blocks = [(rows[i : i + 1000], labels[i : i + 1000]) for i in range(0, N, 1000)]
    source = scan("t.parquet", target="y", columns=["c0", "c1"], batch_rows=1024)
    with pytest.raises(ValueError, match=r't\.parquet: row 4322, column "y" is missing a value'):
        KernelRidgeClassifier(**FIT).fit(source)
    with pytest.raises(ValueError, match="NaN at row 4321: label the sample"):
        KernelRidgeClassifier(**FIT).fit(scan(blocks))
    model = KernelRidgeClassifier(**(FIT | {"landmarks": rows[:20]}))
    known = [(rows[i : i + 1000], np.arange(i, i + 1000) % 3) for i in range(0, N, 1000)]
    model.partial_fit(scan(known), classes=[0, 1, 2])
    known[3][1][17] = 7
    with pytest.raises(ValueError, match="the class 7 at row 3017"):
        model.partial_fit(scan(known))
    weights = np.ones(N)
    weights[4100] = -1
    frame(rows, y=rows[:, 0], w=weights).to_parquet("w.parquet")
    table = scan("w.parquet", target="y", weights="w", batch_rows=1024)
    with pytest.raises(ValueError, match="that of row 4100 is -1"):
        KernelRidge(0.1, **FIT).fit(table)


def test_progress_tells_the_time_that_is_left(folder, rows):
    """Fits of several passes tell one time for all of them, and end with none left."""
    np.save("t.npy", np.column_stack([rows, rows[:, 0]]))
    table = scan("t.npy", target=3, batch_rows=1024)
    for estimator, wanted in [
        (KernelPCA(2, **FIT), {"looking for landmarks", "landmarks", "rows", "solving"}),
        (KernelRidge(0.1, **FIT), {"looking for landmarks", "rows", "solving"}),
        (KernelPCADetector(**FIT), {"looking for landmarks", "rows", "solving", "scores"}),
    ]:
        steps = []
        estimator.set_params(progress=steps.append).fit(table)
        reported = [step for step in steps if step.stage == "fit on landmarks"]
        assert reported, estimator
        assert all(step.remaining is not None and step.remaining >= 0 for step in reported)
        shares = [step.done / step.total for step in reported]
        assert shares == sorted(shares)
        assert shares[-1] == 1
        assert {step.message for step in reported} <= wanted | {"landmarks"}


def test_progress_counts_rows(folder, rows):
    """All passes are one stage; of text, whose rows are not known, bytes are counted."""
    np.save("t.npy", rows)
    frame(rows).to_csv("t.csv", index=False)
    for name in ("t.npy", "t.csv"):
        steps = []
        table = scan(name, batch_rows=1024)
        KernelPCA(2, **FIT, progress=steps.append).fit(table)
        assert {step.stage for step in steps} == {"fit on landmarks"}, name
        shares = [step.done / step.total for step in steps]
        assert shares == sorted(shares), name
        assert shares[-1] == 1


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupts_end_a_stream(rows):
    def blocks():
        while True:
            yield rows

    before = KernelPCA(2, **FIT)
    timer = threading.Timer(0.7, signal.raise_signal, [signal.SIGINT])
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        before.fit(blocks)
    assert time.monotonic() - started < 5
    assert not hasattr(before, "eigenvalues_")
    timer.cancel()


def test_a_user_function_that_fails_raises_its_own_error(rows):
    def blocks():
        yield rows
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        KernelPCA(2, **FIT).fit(blocks)


def test_parts_with_a_header_alone_have_no_rows(folder, rows):
    table = frame(rows)
    (folder / "parts").mkdir()
    for name, part in {
        "a": table[:0],
        "b": table[:3000],
        "c": table[:0],
        "d": table[3000:],
    }.items():
        part.to_csv(f"parts/{name}.csv", index=False)
    same(KernelPCA(2, **FIT).fit(scan("parts")), KernelPCA(2, **FIT).fit(rows))
    (folder / "parts/c.csv").write_bytes(b"")
    with pytest.raises(ValueError, match=r"c\.csv: the file is empty: remove it"):
        scan("parts")


@pytest.mark.skipif(os.name != "posix", reason="pipes and links")
def test_pipes_are_read_once_and_links_that_lead_nowhere_are_named(folder, rows):
    (folder / "parts").mkdir()
    frame(rows).to_csv("parts/a.csv", index=False)
    os.symlink("nowhere.csv", "parts/b.csv")
    with pytest.raises(FileNotFoundError, match=r"b\.csv"):
        scan("parts")
    os.mkfifo("pipe.csv")
    # Two passes are refused before a byte is taken from the pipe: nobody writes to it here.
    with pytest.raises(ValueError, match="read only once"):
        KernelPCA(2, **FIT).fit(scan("pipe.csv"))
    content = (folder / "parts/a.csv").read_bytes()
    given = FIT | {"landmarks": rows[:40]}
    writer = threading.Thread(target=lambda: (folder / "pipe.csv").write_bytes(content))
    writer.start()
    found = KernelPCA(2, **given).fit(scan("pipe.csv"))
    writer.join()
    same(found, KernelPCA(2, **given).fit(rows))
    writer = threading.Thread(target=lambda: (folder / "pipe.csv").write_bytes(content))
    writer.start()
    scores = np.concatenate(list(found.transform(scan("pipe.csv"))))
    writer.join()
    assert np.array_equal(scores, found.transform(rows))


def test_a_compressed_file_that_is_cut_off_is_named(folder, rows):
    frame(rows).to_csv("t.csv.gz", index=False)
    content = (folder / "t.csv.gz").read_bytes()
    (folder / "t.csv.gz").write_bytes(content[: len(content) // 2])
    table = scan("t.csv.gz")
    with pytest.raises(ValueError, match=r"t\.csv\.gz.*damaged or cut off"):
        KernelPCA(2, **FIT).fit(table)


FULL = """
import resource, signal, sys
import numpy as np
import mercer
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
kpca = mercer.load("m.mercer")
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    kpca.transform(mercer.scan("t.npy", batch_rows=1024)).write(sys.argv[1])
except OSError as error:
    sys.exit(f"refused: {error}")
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes")
@pytest.mark.parametrize("name", ["o.csv", "o.npy", "o.parquet"])
def test_a_disk_that_fills_while_results_are_written_leaves_nothing(folder, rows, name):
    np.save("t.npy", np.tile(rows, (8, 1)) + np.arange(8 * N)[:, None] / N)
    KernelPCA(2, **FIT).fit(rows).save("m.mercer")
    package = os.path.dirname(os.path.dirname(__file__))
    done = subprocess.run(
        [sys.executable, "-c", FULL, name],
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert done.stderr.startswith("refused: "), done.stderr
    assert sorted(os.listdir(folder)) == ["m.mercer", "t.npy"]


def counted(rows, *, y=None):
    """A source that counts how often it is read to its end."""
    passes = []

    def blocks():
        for start in range(0, len(rows), 1024):
            part = slice(start, start + 1024)
            yield rows[part] if y is None else (rows[part], y[part])
        passes.append(len(rows))

    return blocks, passes


def test_a_table_is_read_as_often_as_the_guide_says(rows, targets):
    """The table in docs/streams.md."""
    labels = np.where(rows[:, 0] > 0, "a", "b")
    given = FIT | {"landmarks": rows[:40]}
    for expected, model, y in [
        (2, KernelPCA(2, **FIT), None),
        (3, KernelRidge(0.1, **FIT), targets),
        (2, Nystroem("rbf", gamma=0.3, n_components=40), None),
        (1, KernelPCA(2, **given), None),
        (2, KernelRidge(0.1, **given), targets),
        (3, KernelPCADetector(5, **FIT), None),
        (3, KernelPCADetector(5, contamination="auto", **FIT), None),
        (4, KernelRidgeClassifier(0.1, **FIT), labels),
        (3, KernelRidgeCV([0.1, 1.0], **FIT), targets),
        (3, KernelRidgeCV([0.1, 1.0], cv="gcv", **FIT), targets),
    ]:
        source, passes = counted(rows, y=y)
        model.fit(source)
        assert len(passes) == expected, (model, len(passes))
    model = KernelKMeans(3, **FIT)
    source, passes = counted(rows)
    model.fit(source)
    assert 2 < len(passes) <= model.n_iter_ + 4, (len(passes), model.n_iter_)
