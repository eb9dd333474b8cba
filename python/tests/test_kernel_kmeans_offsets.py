"""Kernel k-means far from the origin: distances in feature space keep their digits."""

import exact
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import KernelKMeans, load

N, NEW = 12, 4
RNG = np.random.default_rng(9)
CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
LABELS = np.arange(N + NEW) % 3
# Multiples of 1/16, which single precision holds exactly at every offset here.
NEAR = np.round((CENTRES[LABELS] + RNG.normal(size=(N + NEW, 2))) * 16) / 16


def squared_distances(K, own, labels, weights):
    """From each row of K (kernel values with the training samples) to each centre, by two loops."""
    training, values = K
    out = []
    for row, own_value in zip(values, own, strict=True):
        line = []
        for c in range(3):
            members = [i for i in range(N) if labels[i] == c]
            size = sum(weights[i] for i in members)
            cross = sum(weights[i] * row[i] for i in members) / size
            norm = sum(
                weights[i] * weights[j] * training[i][j] for i in members for j in members
            ) / (size * size)
            line.append(own_value - 2 * cross + norm)
        out.append(line)
    return out


@pytest.mark.parametrize("init", ["k-means++", "spectral"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize(("dtype", "offset"), [("float64", 2.0**20), ("float32", 2.0**10)])
def test_distances_and_objective_are_those_of_exact_arithmetic(kernel, dtype, offset, init):
    far = (NEAR + offset).astype(dtype)
    weights = [exact.Fraction(1 + i % 3) for i in range(N)]
    model = KernelKMeans(3, kernel=kernel, gamma=0.5, degree=2, init=init, n_init=5, random_state=0)
    model.fit(far[:N], sample_weight=np.array(weights, dtype=float))
    rows, new = exact.exact(far[:N]), exact.exact(far[N:])
    training = exact.gram(kernel, rows, rows, 0.5, degree=2)
    labels = model.labels_
    objective = 0
    own = [training[i][i] for i in range(N)]
    for i, line in enumerate(squared_distances((training, training), own, labels, weights)):
        objective += weights[i] * line[labels[i]]
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    assert model.inertia_ == pytest.approx(float(objective), rel=tolerance)
    assert model.report_["clusters"]["objective"] == pytest.approx(float(objective), rel=tolerance)
    values = exact.gram(kernel, new, rows, 0.5, degree=2)
    own = [exact.gram(kernel, [x], [x], 0.5, degree=2)[0][0] for x in new]
    want = np.array(squared_distances((training, values), own, labels, weights), dtype=float)
    assert_allclose(model.transform(far[N:]) ** 2, want, rtol=100 * tolerance)
    assert_array_equal(model.predict(far[N:]), want.argmin(axis=1))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_moving_all_samples_changes_nothing(kernel, dtype, tmp_path):
    offset = 1e6 if dtype == "float64" else 2.0**19
    near = NEAR.astype(dtype)
    far = (NEAR + offset).astype(dtype)
    made = KernelKMeans(3, kernel=kernel, gamma=0.1, random_state=1)
    here, there = made.fit(near[:N]), KernelKMeans(**made.get_params()).fit(far[:N])
    assert_array_equal(here.labels_, there.labels_)
    tolerance = 1e-10 if dtype == "float64" else 1e-4
    assert there.inertia_ == pytest.approx(here.inertia_, rel=tolerance)
    assert_allclose(there.transform(far), here.transform(near), rtol=10 * tolerance, atol=tolerance)
    assert_array_equal(there.predict(far), here.predict(near))
    there.save(tmp_path / "far.mercer")
    again = load(tmp_path / "far.mercer")
    assert_array_equal(again.transform(far), there.transform(far))
