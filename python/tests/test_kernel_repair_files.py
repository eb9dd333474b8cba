"""Repairs of kernel matrices in model files."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mercer
from mercer import SVC, KernelRepair

RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=(15, 2))
# The negative distance of samples is not a valid kernel.
GAPS = np.abs(ROWS[:, None] - ROWS).sum(axis=2)
K, NEW = -GAPS[:12, :12], -GAPS[12:, :12]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["clip", "flip", "shift", "nearest"])
def test_a_loaded_repair_is_the_one_that_was_saved(method, dtype, tmp_path):
    repair = KernelRepair(method).fit(K.astype(dtype))
    path = tmp_path / "repair.mercer"
    repair.save(path)
    for again in (mercer.load(path), pickle.loads(pickle.dumps(repair))):
        assert type(again) is KernelRepair
        assert again.method == method
        assert again.change_ == repair.change_ > 0
        assert again.converged_ == repair.converged_
        assert again.n_features_in_ == 12
        new = NEW.astype(dtype)
        assert_array_equal(again.transform(new), repair.transform(new))
        own = np.zeros(3)
        assert_array_equal(again.transform_diagonal(new, own), repair.transform_diagonal(new, own))
        assert again.transform(new).dtype == dtype
        with pytest.raises(ValueError, match="12"):
            again.transform(np.ones((1, 3), dtype))


def test_a_matrix_that_needs_no_repair_is_kept_as_one(tmp_path):
    repair = KernelRepair().fit(np.eye(4))
    repair.save(tmp_path / "repair.mercer")
    again = mercer.load(tmp_path / "repair.mercer")
    assert again.change_ == 0
    values = RNG.normal(size=(2, 4))
    assert_array_equal(again.transform(values), values)


def test_repair_and_machine_are_saved_side_by_side(tmp_path):
    y = (ROWS[:12, 0] > 0).astype(int)
    repair = KernelRepair()
    machine = SVC(kernel="precomputed").fit(repair.fit_transform(K), y)
    repair.save(tmp_path / "repair.mercer")
    machine.save(tmp_path / "machine.mercer")
    repaired = mercer.load(tmp_path / "repair.mercer").transform(NEW)
    found = mercer.load(tmp_path / "machine.mercer").decision_function(repaired)
    assert_array_equal(found, machine.decision_function(repair.transform(NEW)))


def test_damage_is_found(tmp_path):
    path = tmp_path / "repair.mercer"
    KernelRepair().fit(K).save(path)
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)
    with pytest.raises(mercer.FormatError):
        mercer.load(path)


def test_an_unfitted_repair_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        KernelRepair().save(tmp_path / "repair.mercer")
