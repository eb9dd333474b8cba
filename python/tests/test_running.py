"""Threads, memory, progress, interruption."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import PCA, KernelPCA, _core


@pytest.fixture(scope="module")
def many():
    return np.random.default_rng(0).normal(size=(3000, 6))


def test_threads_do_not_change_a_bit(many):
    for make in (
        lambda jobs: KernelPCA(3, kernel="rbf", n_jobs=jobs),
        lambda jobs: PCA(3, n_jobs=jobs),
    ):
        one, two = make(1).fit(many), make(2).fit(many)
        assert_array_equal(one.transform(many), two.transform(many))
    K = [mercer.pairwise_kernels(many[:900], kernel="rbf", n_jobs=jobs) for jobs in (1, 2)]
    assert_array_equal(*K)


def test_number_of_threads(monkeypatch):
    monkeypatch.delenv("MERCER_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = mercer.get_num_threads()
    assert everything == len(os.sched_getaffinity(0))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert mercer.get_num_threads() == 3
    monkeypatch.setenv("MERCER_NUM_THREADS", "5")
    assert mercer.get_num_threads() == 5
    try:
        mercer.set_num_threads(-1)
        assert mercer.get_num_threads() == everything
    finally:
        mercer.set_num_threads(None)
    with pytest.raises(ValueError, match="threads"):
        mercer.set_num_threads(0)


def test_work_on_one_thread_does_not_wait_for_other_such_work(many):
    """A fit may wait for another one, as that of a Dask client for workers in its process."""
    X, ended = many[:40], []

    def kernel(a, b):
        if not ended:
            other = threading.Thread(target=lambda: KernelPCA(2, kernel="rbf", n_jobs=1).fit(X))
            other.daemon = True
            other.start()
            other.join(timeout=60)
            ended.append(not other.is_alive())
        return float(a @ b)

    KernelPCA(2, kernel=kernel, n_jobs=1).fit(X)
    assert ended == [True]


def test_a_small_budget_computes_tiles_anew(many):
    stored = KernelPCA(2, kernel="rbf", eigen_solver="krylov").fit(many)
    tiled = KernelPCA(2, kernel="rbf", eigen_solver="krylov", memory_budget="30MB").fit(many)
    assert stored.report_["storage"] == "packed"
    assert tiled.report_["storage"] == "tiled"
    assert_allclose(tiled.eigenvalues_, stored.eigenvalues_, rtol=1e-9)
    assert_allclose(tiled.transform(many), stored.transform(many), atol=1e-6)


def test_beyond_the_budget(many):
    with pytest.raises(MemoryError, match=r"budget is 1\.00 MiB"):
        KernelPCA(kernel="rbf", memory_budget=2**20).fit(many)
    for text, count in {"2GiB": 2**31, "1.5 kB": 1500, "7": 7, "3m": 3_000_000}.items():
        assert mercer._run.bytes_of(text) == count


def test_progress_calls_a_function(many):
    steps = []
    KernelPCA(3, kernel="rbf", progress=steps.append).fit(many)
    assert steps
    assert all(isinstance(step, mercer.Step) for step in steps)
    assert all(step.stage and step.done >= 0 for step in steps)


def test_progress_bar(many, capfd):
    KernelPCA(3, kernel="rbf", progress=True).fit(many)
    shown = capfd.readouterr()
    assert "%" in shown.err
    assert shown.out == ""


def test_a_bar_without_tqdm_tells_the_time_that_is_left(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    times = iter([0.0, 60.0, 4000.0])
    monkeypatch.setattr(mercer._progress.time, "monotonic", lambda: next(times))
    bar = mercer._progress.Bar()
    for done, message in [(0.0, "rows"), (0.255, "rows"), (1.0, None)]:
        bar("fit", done, 1.0, None, message)
    bar.close()
    shown = [line.rstrip() for line in capsys.readouterr().err.split("\r")[1:]]
    assert shown[0] == "fit:   0.0%, 00:00 elapsed (rows)"
    assert shown[1] == "fit:  25.5%, 01:00 elapsed, 02:55 left (rows)"
    assert shown[2] == "fit: 100.0%, 1:06:40 elapsed"


def test_what_progress_raises_is_raised(many):
    def listener(step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        KernelPCA(3, kernel="rbf", progress=listener).fit(many)


def test_other_threads_run_meanwhile(many):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    other = threading.Thread(target=tick)
    other.start()
    began = time.perf_counter()
    KernelPCA(10, kernel="rbf", memory_budget="30MB", eigen_solver="krylov").fit(many)
    ended = time.perf_counter()
    done.set()
    other.join()
    # With the interpreter held there would be one tick at most, whatever the machine does.
    assert sum(began < tick < ended for tick in ticks) > 3


LONG = """
    import sys, time
    import numpy as np
    from mercer import KernelPCA
    X = np.random.default_rng(0).normal(size=(30_000, 40))
    model = KernelPCA(40, kernel="rbf", memory_budget="200MB", eigen_solver="krylov", tol=1e-15)
    print("ready", flush=True)
    try:
        model.fit(X)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        KernelPCA(2).fit(X[:50])
        sys.exit(7)
"""


def test_keyboard_interrupt_ends_a_long_fit():
    command = [sys.executable, "-c", textwrap.dedent(LONG)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.5)
        assert child.poll() is None
        began = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        # It ends within a second; a busy machine may need longer, and the whole takes minutes.
        assert time.perf_counter() - began < 30
        assert child.wait(timeout=60) == 7


SLOW_KERNEL = """
    import sys, time
    import numpy as np
    from mercer import {name}
    def slow(x, y):
        if len(calls) == 5:
            print("ready", flush=True)
        calls.append(1)
        time.sleep(0.01)
        return float(x @ y)
    calls = []
    X = np.random.default_rng(0).normal(size=(300, 4))
    try:
        {name}(kernel=slow, n_jobs={threads}).fit(X)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(7)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["KernelPCA", "KernelKMeans"])
def test_keyboard_interrupt_within_a_tile_of_a_slow_kernel(name, threads):
    # A tile has tens of thousands of pairs, of which each takes a hundredth of a second: minutes.
    code = textwrap.dedent(SLOW_KERNEL).format(name=name, threads=threads)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        began = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - began < 30
        assert child.wait(timeout=60) == 7


FORK = """
    import multiprocessing
    import numpy as np
    from mercer import KernelPCA
    X = np.random.default_rng(0).normal(size=(600, 4))
    def work(seed):
        return KernelPCA(2, kernel="rbf").fit(X).eigenvalues_
    here = work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map(work, range(4))
    assert all((values == here).all() for values in there)
    print("same")
"""


def test_pools_survive_a_fork():
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(FORK)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "same\n", done.stderr


MEMORY = """
    import resource
    import numpy as np
    import mercer
    X = np.random.default_rng(0).normal(size=(6000, 20))
    mercer.pairwise_kernels(X[:500], kernel="rbf")
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    before = peak()
    K = mercer.pairwise_kernels(X, kernel="rbf")
    print((peak() - before) / K.nbytes)
"""


def test_the_matrix_is_held_once():
    command = [sys.executable, "-c", textwrap.dedent(MEMORY)]
    share = float(subprocess.check_output(command, text=True))
    assert share <= 1.1


REGRESSION = """
    import sys
    import numpy as np
    from mercer import {name}
    X = np.random.default_rng(0).normal(size=({n}, 20))
    y = np.sin(X).sum(axis=1)
    model = {made}.fit(X[:100], y[:100])
    before = model.predict(X[:5])
    def tell(step):
        if not reported:
            reported.append(print("working", flush=True))
    reported = []
    try:
        model.set_params(progress=tell).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        assert (model.predict(X[:5]) == before).all()
        sys.exit(7)
"""


@pytest.mark.parametrize(
    ("made", "n"),
    [
        ("KernelRidge(1e-6, kernel='rbf', solver='cg', memory_budget='1GB', tol=1e-15)", 30_000),
        ("KernelRidge(1e-3, kernel='rbf', solver='cholesky')", 14_000),
        ("KernelRidgeCV()", 5_000),
        ("KernelRidgeCV(cv=5, scoring='r2')", 5_000),
    ],
)
def test_interrupted_regressions_keep_the_last_fit(made, n):
    code = textwrap.dedent(REGRESSION).format(name=made.split("(")[0], made=made, n=n)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "working\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert child.wait(timeout=60) == 7


def test_vector_instructions_can_be_forced():
    program = "import mercer; mercer.show_versions()"
    run = at_level("plain", program)
    assert run.returncode == 0, run.stderr
    used, highest = mercer._core.vector_instructions()
    line = next(line for line in run.stdout.splitlines() if line.startswith("instructions"))
    assert "as MERCER_SIMD says" in line or used == highest == line.split()[1]
    assert mercer.__version__ in run.stdout


def test_unknown_vector_instructions_are_refused_at_once():
    run = at_level("avx1024", "import mercer")
    assert run.returncode == 1
    assert 'ImportError: MERCER_SIMD: "avx1024" is unknown; use plain' in run.stderr


def at_level(level, program):
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"MERCER_SIMD": level},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_read_without_running_python(dtype):
    """numpy prints number types by Python code: an interrupt in there would be lost."""
    X, called = np.ones((4, 3), dtype), []
    sparse = scipy.sparse.csr_array(X)

    def record(frame, event, arg):
        if event == "call":
            called.append(Path(frame.f_code.co_filename).name)

    sys.setprofile(record)
    try:
        _core.Samples.dense(X, False)
        _core.Samples.sparse(sparse.shape, sparse.indptr, sparse.indices, sparse.data, False)
    finally:
        sys.setprofile(None)
    assert "_dtype.py" not in called
