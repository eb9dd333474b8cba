"""Pre-images translate with the samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import KernelPCA

RNG = np.random.default_rng(3)
# Multiples of 1/256, which single precision holds exactly at this offset.
NEAR = np.round(RNG.normal(size=(40, 2)) * 256) / 256
OFFSET = 8192.0


def fitted(X, kernel, dtype):
    """Kernel PCA with a map back."""
    model = KernelPCA(
        3,
        kernel=kernel,
        gamma=0.3,
        fit_inverse_transform=True,
        inverse_center=True,
        alpha=1e-3,
    )
    return model.fit(X.astype(dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["ridge", "fixed_point", "neighbors", "gradient"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_samples_found_far_away_are_those_near_by(kernel, method, dtype):
    if kernel == "laplacian" and method in ("fixed_point", "gradient"):
        pytest.skip("the laplacian kernel has no gradient where samples meet")
    near, far = NEAR, NEAR + OFFSET
    here, there = fitted(near, kernel, dtype), fitted(far, kernel, dtype)
    scores = here.transform(near.astype(dtype))[:10]
    # Signs of components are the same: the matrices are.
    moved = there.transform(far.astype(dtype))[:10]
    single = dtype == "float32"
    assert_allclose(moved, scores, atol=2e-4 if single else 1e-10)
    want = here.inverse_transform(scores, method=method)
    found = there.inverse_transform(scores, method=method)
    # float32 numbers near 8192 are 1/1024 apart.
    tolerance = 5e-3 if single else 1e-7
    assert_allclose(found - OFFSET, want, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_linear_kernel_gives_the_point_itself(dtype):
    near, far = NEAR.astype(dtype), (NEAR + OFFSET).astype(dtype)
    model = KernelPCA(2, kernel="linear").fit(far)
    scores = KernelPCA(2, kernel="linear").fit(near).fit_transform(near)
    found = model.inverse_transform(model.fit_transform(far), method="neighbors")
    assert scores.shape == (40, 2)
    assert_allclose(found, far, atol=5e-3 if dtype == "float32" else 1e-7)
