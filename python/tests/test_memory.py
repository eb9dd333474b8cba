"""Every piece of work keeps within its memory budget, or is refused at once.

Here few rows and few budgets are tried. ``make memory`` tries all budgets at 20,000 rows and
prints a table of what was measured; it takes an hour.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from memory_work import WORK

import mercer

HERE = Path(__file__).parent
COMMAND = HERE.parents[1] / "target" / "debug" / "mercer"
FULL = os.environ.get("MERCER_MEMORY") == "full"
KB, MB = 1000, 1_000_000

THREADS = len(os.sched_getaffinity(0))
ROWS = 20_000 if FULL else 2500
BUDGETS = [KB, 20 * MB, 50 * MB, 200 * MB, 1000 * MB] if FULL else [KB, 10 * MB, 40 * MB]
# A refusal names a number of bytes and what to do.
REFUSAL = re.compile(r"needs [\d.,]+ (bytes|[KMGTP]iB), but .* is [\d.,]+ (bytes|[KMGTP]iB).*: \w+")

# How many components a share of the variance takes shows only when they have been computed.
FOUND_OUT = {"KernelPCA(0.9)"}

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="measured through /proc"
)


def run(jobs, timeout=None):
    """Return what jobs came to, each measured in a process of its own."""
    text = "".join(json.dumps(job) + "\n" for job in jobs)
    program = [sys.executable, str(HERE / "memory_work.py")]
    paths = os.pathsep.join([str(HERE.parent), str(HERE)])
    done = subprocess.run(
        program,
        input=text,
        text=True,
        capture_output=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": paths},
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(jobs), done.stderr[-2000:]
    return found


def allowed(found):
    """Return the bytes beside a tenth of the budget that are there whatever the budget is.

    These are the result, the stacks of threads, and what the allocator keeps for each of them.
    """
    return 8 * MB + (found.get("threads") or THREADS) * MB // 4


def wrong(found):
    """Return what a measurement shows that must not be."""
    if "died" in found:
        return f"ended by status {found['died']}"
    text = found["refused"]
    if text is None:
        most = 1.1 * found["budget"] + allowed(found)
        return None if found["peak"] <= most else f"took {found['peak'] / MB:.1f} MB"
    if not REFUSAL.search(text):
        return f"was refused with {text!r}"
    numbers = re.findall(r"[\d.,]+ (?:bytes|[KMGTP]iB)", text)
    if len(set(numbers)) < len(numbers):
        return f"was refused with equal numbers: {text!r}"
    if found["work"] in FOUND_OUT:
        most = 1.1 * found["budget"] + allowed(found)
        return None if found["peak"] <= most else f"took {found['peak'] / MB:.1f} MB"
    quick = found["seconds"] <= 2 and found["peak"] <= allowed(found)
    return None if quick else f"was refused after {found['seconds']} s, {found['peak'] / MB:.1f} MB"


def table(measured):
    """Print the table of the guide."""
    print("\n| work | " + " | ".join(f"{budget / MB:g} MB" for budget in BUDGETS) + " |")
    print("|---|" + "---|" * len(BUDGETS))
    for name in WORK:
        cells = [
            "refused" if found["refused"] else f"{max(found['peak'], 0) / MB:.0f}"
            for found in measured
            if found["work"] == name
        ]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


@pytest.mark.parametrize("part", range(1 if FULL else 4))
def test_every_work_keeps_its_budget_or_is_refused_at_once(part, capsys):
    works = list(WORK)[part :: 1 if FULL else 4]
    jobs = [{"work": work, "rows": ROWS, "budget": budget} for work in works for budget in BUDGETS]
    measured = run(jobs)
    if FULL:
        with capsys.disabled():
            table(measured)
    faults = [(f["work"], f["budget"], wrong(f)) for f in measured if wrong(f)]
    assert not faults, faults
    assert all(f["refused"] for f in measured if f["budget"] == KB), "1 KB is too little for all"


def test_many_threads_keep_the_budget_too():
    works = ["KernelPCA", "KernelKMeans", "KernelRidge", "KernelRidge.predict", "SVC", "SVCSearch"]
    if FULL:
        works += ["KernelRidge.predict, return_std", "KernelRidgeCV", "KernelRidgeClassifier"]
    shape = {"rows": ROWS, "threads": 16}
    jobs = [{"work": w, "budget": budget, **shape} for w in works for budget in BUDGETS[1:]]
    faults = [(f["work"], f["budget"], wrong(f)) for f in run(jobs) if wrong(f)]
    assert not faults, faults


def test_one_byte_is_refused_even_for_a_few_rows():
    jobs = [{"work": work, "rows": 40, "budget": 1} for work in WORK]
    accepted = [f["work"] for f in run(jobs) if not f.get("refused")]
    assert not accepted


@pytest.mark.parametrize("megabytes", [60, 300])
def test_a_limit_on_the_address_space_is_an_exception_and_no_abort(megabytes):
    # Rows whose kernel matrix alone takes more than the limit.
    rows = 3000 if megabytes == 60 else 9000
    works = ["KernelPCA, all components", "KernelRidge", "SVC", "KernelRidgeCV", "check_kernel"]
    if megabytes == 60 or FULL:
        works += ["KernelPCA", "KernelKMeans", "SVC, five classes", "SVCSearch", "NuSVR"]
    limits = {"AS": megabytes * MB}
    jobs = [{"work": w, "rows": rows, "budget": None, "limits": limits} for w in works]
    for found in run(jobs):
        assert "died" not in found, found


def test_a_budget_beyond_the_address_space_is_an_exception_too():
    limits = {"AS": 100 * MB}
    works = ["KernelPCA, all components", "KernelRidge", "check_kernel"]
    jobs = [{"work": w, "rows": 3000, "budget": 10**12, "limits": limits} for w in works]
    for found in run(jobs):
        assert "died" not in found, found
        assert found["refused"] is None or "ulimit" in found["refused"], found


def test_without_new_threads_work_is_done_on_fewer():
    # The limit does not bind root, so the work is done as somebody else.
    code = (
        "import resource, numpy as np, mercer\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n"
        "import os\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "X = np.random.default_rng(0).normal(size=(300, 3))\n"
        "fitted = mercer.KernelPCA(2, kernel='rbf', n_jobs=8).fit(X)\n"
        "print(fitted.eigenvalues_.tolist())\n"
    )
    paths = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr[-2000:]
    X = np.random.default_rng(0).normal(size=(300, 3))
    want = mercer.KernelPCA(2, kernel="rbf", n_jobs=1).fit(X).eigenvalues_
    assert json.loads(done.stdout) == want.tolist()


def test_a_matrix_that_is_asked_for_must_fit_too():
    X = np.zeros((2000, 2))
    with pytest.raises(MemoryError, match="32000000 bytes, but the memory budget is 1000 bytes"):
        mercer.pairwise_kernels(X, kernel="rbf", memory_budget="1KB")
    with pytest.raises(MemoryError, match="the matrix of features needs"):
        mercer.feature_map("poly", X, degree=3, gamma=1, memory_budget="1KB")


@pytest.mark.parametrize("budget", [2**70, "99999999TB", float("1e30")])
def test_a_budget_beyond_counting_says_so(budget):
    with pytest.raises(ValueError, match="maximum of 2\\*\\*63 - 1 bytes"):
        mercer.PCA(memory_budget=budget).fit(np.eye(3))


@pytest.mark.parametrize("budget", [float("inf"), float("nan"), -1, 0, "0MB", "much", [5]])
def test_a_budget_that_is_none_says_so(budget):
    with pytest.raises(ValueError, match="memory_budget must be a positive number of bytes"):
        mercer.PCA(memory_budget=budget).fit(np.eye(3))


def test_threads_beyond_sanity_are_refused():
    with pytest.raises(ValueError, match="n_jobs must be at most"):
        mercer.PCA(n_jobs=100_000).fit(np.eye(3))
    with pytest.raises(ValueError, match="threads must be at most"):
        mercer.set_num_threads(100_000)


def test_a_file_that_claims_long_classes_takes_no_memory(tmp_path):
    path = tmp_path / "model.mercer"
    mercer.SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).save(path)
    assert mercer.load(claimed(path, '"<U1"', '"<U1"')).classes_.tolist() == ["a", "b"]
    for note in ('"<U250000000"', '"<U1x"', '"<M8[s]"', '"|V9"'):
        with pytest.raises(mercer.FormatError):
            mercer.load(claimed(path, '"<U1"', note))


def claimed(path, before, after):
    """Return a copy of a model file with a note changed and its checksum repaired."""
    import zlib

    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    note = head["__metadata__"]["mercer"]
    assert before in note
    head["__metadata__"]["mercer"] = note.replace(before, after)
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    changed = len(text).to_bytes(8, "little") + text + content[8 + length : -4]
    other = path.with_name("changed.mercer")
    other.write_bytes(changed + zlib.crc32(changed).to_bytes(4, "little"))
    return other


TABLES = {
    "one line of commas.csv": lambda: b"," * 3_000_000 + b"\n1\n",
    "lines of commas.csv": lambda: (b"," * 3000 + b"\n") * 1000,
    "far index.libsvm": lambda: b"1 1:1 5000000:1\n2 1:3\n",
    "numbers.csv": lambda: b"a,b,c\n" + b"1.5,2.5,3.5\n" * 400_000,
    "wide.npy": lambda: npy(np.zeros((2, 500_000))),
    "numbers.npy": lambda: npy(np.zeros((500_000, 3))),
}


def npy(array):
    """Return the content of a file of NumPy."""
    import io

    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.mark.skipif(not COMMAND.exists(), reason="the command line was not built")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("megabytes", [10, 60])
def test_readers_keep_the_budget(name, megabytes, tmp_path):
    path = tmp_path / name
    path.write_bytes(TABLES[name]())
    arguments = ["pca", str(path), "-k", "1", "--memory", f"{megabytes}MB", "--quiet"]
    peak, code, text = command([*arguments, "--output", str(tmp_path / "out.npy")])
    if code == 0:
        # The table is read, and then held a second time as rows: the caller's data.
        assert peak <= 1.1 * megabytes * MB + 3 * path.stat().st_size + 30 * MB
    else:
        assert re.search(r"needs [\d.,]+ .iB, but the memory budget is", text), text
        assert peak <= path.stat().st_size + 30 * MB, text


# A process counts the memory of the one that it was forked from: a small one starts the command.
STARTER = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, status)
"""


def command(arguments):
    """Return the highest memory of the command line, its exit code and what it said."""
    run = subprocess.run(
        [sys.executable, "-S", "-c", STARTER, COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    text, _, last = run.stdout.rstrip("\n").rpartition("\n")
    kibibytes, status = (int(word) for word in last.split())
    return kibibytes * 1024, os.waitstatus_to_exitcode(status), text
