"""Model files that somebody altered, with a checksum that is right again: read or refused, in time
and within memory.
"""

import json
import os
import random
import struct
import threading
import warnings
import zlib

import numpy as np
import pytest

import mercer
from mercer import (
    PCA,
    SVC,
    SVR,
    FormatError,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    NuSVC,
    OneClassSVM,
)
from mercer.kernels import RBF, Linear

EDITS = 60_000 if os.environ.get("MERCER_FAULTS") == "long" else 4_000

rng = np.random.default_rng(3)
X = rng.normal(size=(30, 3))
TWO = np.arange(30) % 2
THREE = np.array(["no", "yes", "perhaps"])[np.arange(30) % 3]
MODELS = {
    "SVC": SVC(class_weight={0: 1.0, 1: 2.0}, probability=True).fit(X, TWO),
    "SVC of texts": SVC(kernel=0.5 * RBF(sigma=2) + Linear()).fit(X, THREE),
    "NuSVC": NuSVC(nu=0.2).fit(X, TWO > 0),
    "SVR": SVR().fit(X, X[:, 0]),
    "OneClassSVM": OneClassSVM(nu=0.3).fit(X),
    "KernelRidge": KernelRidge([0.1, 1.0], kernel="rbf").fit(X, X[:, :2]),
    "KernelRidgeCV": KernelRidgeCV([0.1, 1.0]).fit(X, X[:, 0]),
    "KernelRidgeClassifier": KernelRidgeClassifier(0.1).fit(X, THREE),
    "KernelKMeans": KernelKMeans(2, random_state=0).fit(X),
    "KernelPCA": KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X),
    "KernelPCADetector": KernelPCADetector(2).fit(X),
    "PCA": PCA(2, whiten=True).fit(X),
}


class File:
    """A model file taken apart."""

    def __init__(self, content: bytes):
        length = struct.unpack("<Q", content[:8])[0]
        self.head = json.loads(content[8 : 8 + length])
        self.header = json.loads(self.head["__metadata__"]["mercer"])
        self.data = content[8 + length : -4]

    def sealed(self, header: dict) -> bytes:
        """The file with this header and a right checksum."""
        self.head["__metadata__"]["mercer"] = json.dumps(header)
        head = json.dumps(self.head).encode()
        content = struct.pack("<Q", len(head)) + head + self.data
        return content + struct.pack("<I", zlib.crc32(content))


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, File]:
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, model in MODELS.items():
        model.save(folder / "m.mercer")
        found[name] = File((folder / "m.mercer").read_bytes())
    return found


def altered(file: File, **extra) -> bytes:
    """The file with other notes."""
    return file.sealed(file.header | {"extra": file.header["extra"] | extra})


def load(folder, content: bytes):
    (folder / "altered.mercer").write_bytes(content)
    return mercer.load(folder / "altered.mercer")


VALUES = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64 - 1, -(2**63), 0.5, -1e300, 5e-324, "", "rbf",
    "precomputed", "<U250000000", "<i8", "O", "é", [], {}, [[]], [1, 2], [[1, 2], "<f8"],
    {"spec": "rbf(gamma=1)"}, {"spec": "rbf("}, {"spec": 3}, {"items": [[1, 2]]},
    {"items": [[[], 1]]}, {"items": 3}, {"items": [3]}, [["a"], "<U1"], "x" * 500, [None] * 30,
)  # fmt: skip


def edited(value, draw: random.Random):
    """The JSON value with one change somewhere within it."""
    inside = isinstance(value, (dict, list)) and value and draw.random() < 0.8
    if not inside:
        return draw.choice(VALUES)
    if isinstance(value, list):
        at = draw.randrange(len(value))
        if draw.random() < 0.15:
            return value[:at] + value[at + 1 :]
        return [*value[:at], edited(value[at], draw), *value[at + 1 :]]
    key = draw.choice(list(value))
    rest = {name: part for name, part in value.items() if name != key}
    if draw.random() < 0.1:
        return rest
    if draw.random() < 0.1:
        return rest | {draw.choice([*value, "gamma", "classes"]): value[key]}
    return value | {key: edited(value[key], draw)}


@pytest.mark.parametrize("part", ["extra", "header"])
def test_random_edits_are_read_or_refused(tmp_path, files, part):
    draw = random.Random(f"edits of {part}")
    counts = {"read": 0, "refused": 0}
    for _ in range(EDITS // 2):
        file = files[draw.choice(list(files))]
        header = file.header
        if part == "extra":
            header = header | {"extra": edited(header["extra"], draw)}
        else:
            header = edited(header, draw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                repr(load(tmp_path, file.sealed(header)))
            counts["read"] += 1
        except FormatError:
            counts["refused"] += 1
    # Both happen, or the edits would be of no use.
    assert min(counts.values()) > EDITS // 50, counts


def test_how_work_is_run_is_not_taken_from_a_file(tmp_path, files):
    before = threading.active_count()
    for name, file in files.items():
        noted = file.header["extra"]["python"]
        assert not {"n_jobs", "memory_budget", "progress"} & set(noted), name
        for threads in (1500, 100_000, -1, "many"):
            own = noted | {"n_jobs": threads, "memory_budget": 1, "progress": 7}
            model = load(tmp_path, altered(file, python=own))
            assert (model.n_jobs, model.memory_budget) == (None, None), name
            assert model.progress is False, name
    assert threading.active_count() == before


def test_long_texts_of_classes_are_refused(tmp_path, files):
    file = files["SVC of texts"]
    values, _ = file.header["extra"]["classes"]
    with pytest.raises(FormatError, match="longer strings"):
        load(tmp_path, altered(file, classes=[values, "<U250000000"]))
    with pytest.raises(FormatError, match="does not match"):
        load(tmp_path, altered(file, classes=[values[::-1], "<U7"]))


def test_names_of_tensors_that_stand_twice_are_refused(tmp_path, files):
    file = files["PCA"]
    content = file.sealed(file.header)
    length = struct.unpack("<Q", content[:8])[0]
    info = json.dumps(file.head["mean"])
    head = content[8 : 8 + length].replace(b'{"', b'{"mean": ' + info.encode() + b', "', 1)
    again = struct.pack("<Q", len(head)) + head + content[8 + length : -4]
    with pytest.raises(FormatError, match="twice"):
        load(tmp_path, again + struct.pack("<I", zlib.crc32(again)))


@pytest.mark.parametrize(
    "classes",
    [
        [3, -7], [True, False], [2.0, 1e15], ["no", "größer"], np.array([1, 2], "u1"),
        np.array([1, 2], "f4"), np.array(["a", "b"], "U30"), np.array(["a", "b"], object),
        np.array([1, 2**63], "u8"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("kind", [SVC, KernelRidgeClassifier])
def test_classes_keep_their_type(tmp_path, classes, kind):
    y = np.asarray(classes)[TWO]
    model = kind().fit(X, y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    # Texts may come back as long as the longest of them.
    assert again.classes_.dtype.kind == model.classes_.dtype.kind
    if again.classes_.dtype.kind != "U":
        assert again.classes_.dtype == model.classes_.dtype
    assert again.classes_.tolist() == model.classes_.tolist()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_models_come_from_pipes(tmp_path):
    model, pipe = MODELS["SVC"], tmp_path / "pipe"
    model.save(tmp_path / "m.mercer")
    SVC(gamma=0.5).fit(X, TWO).to_libsvm(tmp_path / "m.model")
    os.mkfifo(pipe)
    for name, read in [("m.mercer", mercer.load), ("m.model", mercer.read_libsvm_model)]:
        content = (tmp_path / name).read_bytes()
        writer = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
        writer.start()
        assert read(pipe).n_features_in_ == 3
        writer.join(timeout=10)
        assert not writer.is_alive()


def test_a_libsvm_model_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "m.model"
    SVC(gamma=0.5).fit(X, TWO).to_libsvm(path)
    content = path.read_bytes()
    last = content.rindex(b"\n", 0, -1) + 1
    for length in range(last, len(content)):
        path.write_bytes(content[:length])
        for read in (mercer.load, mercer.read_libsvm_model):
            with pytest.raises(FormatError, match="cut off"):
                read(path)
