"""What the estimators with a kernel share: which kernel it is, and in which numbers they work."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._arrays import own_values, plain, scaled
from mercer._base import Fitted
from mercer._columns import table_of
from mercer._kernel_choice import Choice, Described, Precomputed, choose
from mercer._kernel_purpose import is_own, purpose_of
from mercer._pairwise import need
from mercer._params import is_real
from mercer._run import running
from mercer._samples import Checked, checked, features, held

PRECISIONS = ("auto", "f64", "f32", "mixed")


class KernelModel(Fitted):
    """The base of the estimators with a kernel.

    After fit, ``_choice`` says what the kernel is, and ``_single`` whether kernel values are in
    single precision. ``_form`` is what a plain function takes that is given as kernel.
    """

    _form = "pair"
    _single: bool

    def _choose(self, X: Checked) -> Choice:
        return choose(
            self.kernel,
            features(X),
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            form=self._form,
        )

    def _samples(self, X) -> Checked:
        """The samples of a fit, or the kernel matrix."""
        return checked(self, X, purpose_of(self.kernel), reset=True)

    def _values(self, X: Checked, choice: Choice) -> _core.Samples | np.ndarray:
        """What the compiled part fits on: the samples or the kernel matrix."""
        if isinstance(choice, Described):
            return held(X, single=self._tile_is_single(X), own=is_own(choice), keep=True)
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed metric requires a square matrix: Precomputed matrix must be a square "
                f"matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return self._symmetric(plain(X.astype(self._tile(X), copy=False)))

    def _symmetric(self, K: np.ndarray) -> np.ndarray:
        """A kernel matrix that is symmetric but for rounding; of another one its symmetric part.

        scikit-learn takes any matrix, and which part of it counts depends on the solver.
        """
        with running(self.n_jobs, self.memory_budget, False) as run:
            fault = _core.asymmetry(K, run)
        if fault is None:
            return K
        need(K.nbytes, self.memory_budget)
        warnings.warn(f"{fault}; the mean of the matrix and its mirror image is used", stacklevel=5)
        return plain((K + K.T) / 2)

    def _rows(self, X) -> Checked:
        """New samples, or kernel values, as they came."""
        check_is_fitted(self)
        return checked(self, X, purpose_of(self._choice), reset=False)

    def _tiles(self, X: Checked) -> _core.Samples | np.ndarray:
        """Samples or kernel values in the numbers that the model works in."""
        X = scaled(self._model, X)
        if self._described:
            return held(X, single=self._single, own=is_own(self._choice))
        return plain(X.astype(np.float32 if self._single else np.float64, copy=False))

    def _anchors(self) -> Any:
        """The samples that the model keeps: those of a kernel on columns as a table."""
        found = self._fitted().anchors
        if not self._described or purpose_of(self._choice).kind != "columns":
            return found
        # A file does not tell which library's data frames a model was fitted on.
        return table_of(found, *getattr(self, "_table", ("dict", ())))

    @property
    def _described(self) -> bool:
        return isinstance(self._choice, Described)

    def _choice_of(self, model: _core.Model) -> Choice:
        return Precomputed() if model.anchors is None else Described(stored(model)["kernel"])

    def _tell_kernel(self, model: _core.Model) -> None:
        plain_spec = self._described and not self._choice.alone
        self.kernel_ = stored(model)["kernel"] if plain_spec else self._choice.name
        self.gamma_ = self._resolved_gamma(model.shape[1])

    def _resolved_gamma(self, n_features: int) -> float:
        if "gamma" in getattr(self._choice, "params", {}):
            return self._choice.params["gamma"]
        if self._described:
            values = _core.parameters(stored(self._model)["kernel"])
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
        kernel that is a function cannot be written: pickle the estimator instead.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.mercer``.
        """
        check_is_fitted(self)
        self._refuse_function("a model file")
        super().save(path)

    def _refuse_function(self, where: str) -> None:
        if self._choice.functions:
            raise ValueError(
                f"the kernel {self._choice.name!r} is a function that {where} cannot hold: "
                "pickle the estimator, or choose a kernel by a spec"
            )


class SampleModel(KernelModel):
    """The base of the estimators that keep all their training samples."""

    @property
    def _single(self) -> bool:
        return self._model.precision == "f32"

    def _own_values(self, X: Checked, diagonal) -> np.ndarray | None:
        """The kernel value of each new sample with itself, where the compiled part lacks it."""
        if isinstance(self._choice, Precomputed):
            if diagonal is None:
                raise ValueError(
                    "the kernel is precomputed, and distances in feature space need k(x, x) of "
                    "each new sample too: give these numbers as diagonal="
                )
            return own_values(diagonal, X.shape[0])
        if diagonal is not None:
            raise ValueError("diagonal is given, but the kernel is not precomputed: leave it out")
        return None

    @property
    def X_fit_(self) -> Any:  # noqa: N802
        """The training samples; those of a kernel on columns as a table of these columns."""
        return present(self._anchors(), "a model of a precomputed kernel keeps no samples")


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
    return model.dtype == "f64" and model.precision == "f32"
