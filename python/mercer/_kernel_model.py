"""What the estimators with a kernel share: which kernel it is, and in which numbers they work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._arrays import dtype_of, finite, own_values, plain, samples, scaled
from mercer._base import Fitted
from mercer._kernel_choice import Described, Foreign, Precomputed, choose
from mercer._pairwise import need
from mercer._params import is_real

PRECISIONS = ("auto", "f64", "f32", "mixed")
# Kernel values of new samples that scikit-learn computes at a time.
_BLOCK = 2**22


class KernelModel(Fitted):
    """The base of the estimators with a kernel.

    After fit, ``_choice`` says what the kernel is, and ``_foreign`` holds what the compiled part
    cannot: the training samples of a kernel that scikit-learn evaluates.
    """

    def _choose(self, n_features: int) -> Precomputed | Described | Foreign:
        return choose(
            self.kernel,
            n_features,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
        )

    @property
    def _described(self) -> bool:
        return isinstance(self._choice, Described)

    def _choice_of(self, model: _core.Model) -> Precomputed | Described:
        return Precomputed() if model.anchors is None else Described(stored(model)["kernel"])

    def _tell_kernel(self, model: _core.Model) -> None:
        self.kernel_ = stored(model)["kernel"] if self._described else self._choice.name
        self.gamma_ = self._resolved_gamma(model.shape[1])

    def _resolved_gamma(self, n_features: int) -> float:
        if self._described:
            values = _core.parameters(self.kernel_)
            if values and "gamma" in values:
                return values["gamma"]
            if values and "sigma" in values:
                return 0.5 / values["sigma"] ** 2
            if values and "width" in values:
                return 1.0 / values["width"] ** 2
        return float(self.gamma) if is_real(self.gamma) else 1.0 / n_features

    def _tile_is_single(self, X) -> bool:
        if self.precision == "auto":
            return getattr(X, "dtype", None) == np.float32
        return self.precision in ("f32", "mixed")

    def _tile(self, X) -> type:
        return np.float32 if self._tile_is_single(X) else np.float64

    def _results(self, X) -> np.dtype:
        single = self.precision != "mixed" and self._tile_is_single(X)
        return np.dtype(np.float32 if single else np.float64)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to a file, whole or not at all.

        The file is read by :func:`mercer.load`, by the command line and by the Rust library. A
        kernel that scikit-learn evaluates cannot be written: pickle the estimator instead.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.mercer``.
        """
        check_is_fitted(self)
        self._refuse_foreign("a model file")
        super().save(path)

    def _refuse_foreign(self, where: str) -> None:
        if isinstance(self._choice, Foreign):
            raise ValueError(
                f"the kernel {self._choice.name!r} is a function that {where} cannot hold: "
                "pickle the estimator, or choose a kernel by a spec"
            )


class SampleModel(KernelModel):
    """The base of the estimators that keep all their training samples."""

    def _samples(self, X) -> np.ndarray:
        """The samples of a fit."""
        return samples(self, X, reset=True, accept_sparse=True)

    def _values(self, X: np.ndarray, choice) -> np.ndarray:
        """What the compiled part fits on: the samples or the kernel matrix."""
        return X if isinstance(choice, Described) else self._matrix(X, choice)

    def _matrix(self, X: np.ndarray, choice: Foreign | Precomputed) -> np.ndarray:
        """The kernel matrix that is given, or that scikit-learn computes."""
        finite(X)
        if isinstance(choice, Foreign):
            need(len(X) ** 2 * X.dtype.itemsize, self.memory_budget)
            X = choice.matrix(X, None, self.n_jobs)
            finite(X)
        elif X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed metric requires a square matrix. Got {X.shape} instead.")
        return plain(X.astype(self._tile(X), copy=False))

    def _hold_samples(self, X: np.ndarray, choice) -> None:
        """Keep what belongs to a fresh fit beside the model."""
        self._choice = choice
        self._foreign = {"X": X.copy()} if isinstance(choice, Foreign) else {}

    def _rows(self, X) -> np.ndarray:
        """New samples, or kernel values, as they came."""
        check_is_fitted(self)
        return samples(self, X, reset=False, accept_sparse=True, check_finite=not self._described)

    def _tiles(self, X: np.ndarray) -> np.ndarray:
        """Samples or kernel values in the numbers that the model works in."""
        X = scaled(self._model, X)
        return plain(X.astype(dtype_of(self.report_["precision"]), copy=False))

    def _blocks(self, X: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """What the compiled part evaluates, piece by piece, so that no large matrix is held."""
        if not isinstance(self._choice, Foreign):
            yield slice(None), self._tiles(X)
            return
        anchors = self._foreign["X"]
        count = max(1, _BLOCK // len(anchors))
        for first in range(0, len(X), count):
            rows = slice(first, first + count)
            yield rows, self._tiles(self._choice.matrix(X[rows], anchors, self.n_jobs))

    def _own_values(self, X: np.ndarray, diagonal) -> np.ndarray | None:
        """The kernel value of each new sample with itself, where the compiled part lacks it."""
        if isinstance(self._choice, Precomputed):
            if diagonal is None:
                raise ValueError(
                    "the kernel is precomputed, and distances in feature space need k(x, x) of "
                    "each new sample too: give these numbers as diagonal="
                )
            return own_values(diagonal, len(X))
        if diagonal is not None:
            raise ValueError("diagonal is given, but the kernel is not precomputed: leave it out")
        return None if self._described else self._choice.diagonal(X)

    @property
    def X_fit_(self) -> np.ndarray:  # noqa: N802
        """The training samples."""
        model = self._fitted()
        found = self._foreign["X"] if self._foreign else model.anchors
        return present(found, "a model of a precomputed kernel keeps no samples")


def present(found: np.ndarray | None, otherwise: str) -> np.ndarray:
    """Return what was found; an AttributeError says why it was not."""
    if found is None:
        raise AttributeError(otherwise)
    return found


def stored(model: _core.Model) -> dict:
    """Return the parameters that the model was fitted with."""
    return json.loads(model.params)


def is_mixed(model: _core.Model) -> bool:
    """Whether kernel values are in single precision, and results in double."""
    return model.dtype == "f64" and json.loads(model.report)["precision"] == "f32"
