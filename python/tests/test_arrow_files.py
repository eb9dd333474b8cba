"""Arrow files and streams of pyarrow are read, and those of the command are read by pyarrow."""

import csv
import datetime
import decimal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mercer

pa = pytest.importorskip("pyarrow")
COMMAND = Path(__file__).resolve().parents[2] / "target/debug/mercer"
N = 3000


def write(path, table, kind, **options):
    options = pa.ipc.IpcWriteOptions(**options)
    make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
    with make(str(path), table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=700)
    return path


def number_table():
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 100, N)
    columns = {
        name: pa.array(whole.astype(name))
        for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    }
    columns |= {name: pa.array(rng.normal(size=N).astype(name)) for name in ["float32", "float64"]}
    columns["half"] = pa.array(rng.normal(size=N).astype(np.float16))
    columns["bool"] = pa.array(rng.normal(size=N) > 0)
    cents = [decimal.Decimal(int(cent)) / 100 for cent in rng.integers(-999, 999, N)]
    columns["decimal"] = pa.array(cents, pa.decimal128(10, 2))
    columns["code"] = pa.array(rng.integers(0, 4, N) * 1.5).dictionary_encode()
    return pa.table(columns)


def matrix(table):
    return np.column_stack([column.to_numpy().astype(float) for column in table.columns])


@pytest.mark.parametrize("kind", ["arrow", "arrows", "feather"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_numbers_of_every_type(kind, compression, tmp_path):
    table = number_table()
    path = write(
        tmp_path / f"t.{kind}", table, kind.replace("feather", "arrow"), compression=compression
    )
    blocks = [np.asarray(block[0]) for block in mercer.scan(path)]
    np.testing.assert_array_equal(np.concatenate(blocks), matrix(table))


def run(folder, line):
    done = subprocess.run([COMMAND, *line.split()], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def command():
    if not COMMAND.exists():
        pytest.skip(f"there is no {COMMAND}: `cargo build` makes it")


WORDS = ["a", None, "é", "a much longer word than the others", "", "b"] * 20
WRITTEN = ["" if word is None else word for word in WORDS]
LABELS = {
    "text": (pa.array(WORDS), WRITTEN),
    "large": (pa.array(WORDS, pa.large_string()), WRITTEN),
    "view": (pa.array(WORDS, pa.string_view()), WRITTEN),
    "category": (pa.array(WORDS).dictionary_encode(), WRITTEN),
    "day": (pa.array([datetime.date(1969, 12, 31), None] * 60), ["1969-12-31", ""] * 60),
    "moment": (
        pa.array([datetime.datetime(2024, 1, 31, 12, 30)] * 120, pa.timestamp("us")),
        ["2024-01-31 12:30:00"] * 120,
    ),
    "long": (pa.array([2**60 + 1, None] * 60), [str(2**60 + 1), ""] * 60),
}


@pytest.mark.parametrize("name", LABELS)
def test_texts_dates_and_missing_values(name, command, tmp_path):
    cells, expected = LABELS[name]
    table = pa.table({"number": pa.array([1.5, 0.25, 2.0] * 40), name: cells, "no": pa.nulls(120)})
    write(tmp_path / "t.arrow", table, "arrow")
    line = f"kpca t.arrow --columns number --label {name} --kernel rbf(gamma=1) -k 1"
    run(tmp_path, f"{line} --output out.csv --quiet")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)][1:] == expected


def test_pyarrow_reads_what_the_command_writes(command, tmp_path):
    run(tmp_path, "demo --data iris.csv --quiet")
    run(tmp_path, "demo --data iris.arrow --quiet")
    iris = np.genfromtxt(
        tmp_path / "iris.csv", delimiter=",", names=True, dtype=None, encoding=None
    )
    with pa.ipc.open_file(tmp_path / "iris.arrow") as file:
        table = file.read_all()
    assert table.column_names == list(iris.dtype.names)
    for name in table.column_names:
        np.testing.assert_array_equal(table[name].to_numpy(), iris[name])
    for kind, open_it in [("arrow", pa.ipc.open_file), ("arrows", pa.ipc.open_stream)]:
        run(tmp_path, f"kpca iris.arrow --label species -k 2 --output out.{kind} --quiet")
        run(tmp_path, "kpca iris.csv --label species -k 2 --output out.csv --quiet")
        with open_it((tmp_path / f"out.{kind}").open("rb")) as file:
            found = file.read_all()
        expected = np.genfromtxt(tmp_path / "out.csv", delimiter=",", skip_header=1, usecols=(1, 2))
        np.testing.assert_array_equal(matrix(found.select([1, 2])), expected)


def test_what_is_not_read_is_said(tmp_path):
    nested = pa.table({"x": pa.array([[1.0, 2.0], [3.0]])})
    path = write(tmp_path / "nested.arrow", nested, "arrow")
    with pytest.raises(ValueError, match='column "x" has a type that is not read'):
        list(mercer.scan(path))
    cut = tmp_path / "cut.arrows"
    cut.write_bytes(write(tmp_path / "t.arrows", number_table(), "arrows").read_bytes()[:5000])
    with pytest.raises(ValueError, match="damaged"):
        list(mercer.scan(cut))
