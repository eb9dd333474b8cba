"""Nyström features with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _fit, _landmarks, _params, _predict, _preimages, _stream
from mercer._arrays import Samples, Table, dtype_of, validate_scores
from mercer._base import Estimator
from mercer._kernel_choice import Choice, choose, is_precomputed, kernel_argument
from mercer._params import ParameterError, is_integer, is_real, refuse
from mercer._progress import Step
from mercer._reports import warn, warn_of_notes
from mercer._samples import Checked, features
from mercer.kernels import Kernel
from mercer.reports import Report

# Rows that are copied at a time to compute their features.
_ROWS = 16_384


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Features whose inner products approximate any kernel, from few of the samples.

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `n_jobs` are additions. With the same landmarks, inner products of features are
    scikit-learn's; the features themselves are L⁻¹ k(x), with L the Cholesky factor of the kernel
    matrix of the landmarks, where scikit-learn has its symmetric root: a rotation of them, at half
    the cost. Feature j is what landmark j adds to those before.

    Landmarks are chosen by randomly pivoted Cholesky, which leaves less of the kernel matrix than a
    uniform choice. Nothing is added to a diagonal: landmarks that depend linearly on others are
    left out, so that there may be fewer features than `n_components`. Samples may be of any kind
    that the kernel takes. Kernel values are never held beside the result.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name, spec, object or function, as for :class:`KernelPCA`; not ``"precomputed"``, since
        landmarks are chosen among samples.
    gamma : float, {"scale", "auto", "median"}, optional
        For kernels given by a name that have a gamma, as for :class:`KernelPCA`; the default is
        1 / n_features, and 1 for ``"chi2"``.
    coef0 : float, optional
        The constant of ``"poly"`` and ``"sigmoid"``, by default 1.
    degree : float, optional
        The exponent of ``"poly"``, by default 3.
    kernel_params : dict, optional
        Parameters of a function given as kernel, or of a kernel given by its name.
    n_components : int, "auto" or array-like of samples, default=100
        The number of landmarks; or as many as leave at most `landmark_tol` of the trace of the
        kernel matrix, estimated on a sample of the rows; or samples to be the landmarks.
    random_state : int, RandomState instance, optional
        Seed of the choice of landmarks. None stands for 0, so that results are repeatable.
    n_jobs : int, optional
        Number of threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.
    landmark_tol : float, default=0.01
        The share of the trace that ``n_components="auto"`` may leave.
    landmark_method : {"pivoted_cholesky", "uniform"}, default="pivoted_cholesky"
        How landmarks are chosen: by randomly pivoted Cholesky, which prefers samples that the
        others represent badly, or each with the same probability, as in scikit-learn.
    fit_inverse_transform : bool, default=False
        Whether to fit the inverse map, ridge regression of the samples on their features.
    alpha : float, default=1.0
        The ridge penalty of the inverse map.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values, as for :class:`KernelPCA`. ``"auto"`` is that of X.
    memory_budget, progress
        How the work is run, as for :class:`KernelPCA`.

    Attributes
    ----------
    components_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks.
    normalization_ : ndarray of shape (n_landmarks, n_landmarks)
        L⁻¹: the features are ``kernel(X, components_) @ normalization_.T``.
    n_components_ : int
        The number of features.
    error_ : dict
        How good the approximation is on the training samples: the ``"trace"`` of the kernel matrix,
        the ``"residual_trace"`` that the features leave of it, which bounds all errors, and its
        share ``"residual_share"``.
    kernel_ : str
        The kernel with all its parameters, as a spec.
    gamma_ : float
        The resolved gamma.
    report_ : dict
        Details of the fit; ``report_["landmarks"]`` on the landmarks.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from mercer import Nystroem
    >>> X, y = load_digits(return_X_y=True)
    >>> model = make_pipeline(Nystroem(gamma=0.0005, n_components=200), RidgeClassifier())
    >>> bool(model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.9)
    True
    >>> bool(model[0].error_["residual_share"] < 0.2)
    True
    """

    error_: dict[str, float]
    gamma_: float
    kernel_: str
    n_components_: int
    normalization_: np.ndarray
    report_: Report

    components_ = property(_landmarks.landmarks)
    _landmark_name = "n_components"
    _reads_again = True

    def __init__(
        self,
        kernel: str | Kernel | Callable[..., float] = "rbf",
        *,
        gamma: float | str | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict | None = None,
        n_components: int | str | Samples = 100,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        fit_inverse_transform: bool = False,
        alpha: float = 1.0,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress

    @_fit.unchanged_on_error
    def fit(self, X: Samples, y: object = None) -> Self:
        """Choose the landmarks, and measure the error on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as the kernel takes them: rows of numbers, strings, a table, or anything that a
            function takes.
        y : None
            Not used.

        Returns
        -------
        self : Nystroem
            The estimator itself.
        """
        self._fitted(X, measured=True)
        return self

    @_fit.unchanged_on_error
    def fit_transform(self, X: Samples, y: object = None, **params: object) -> Table:
        """Fit the features and return those of X, which takes one pass less than both steps.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.
        **params
            Passed to :meth:`fit`, which takes none.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features_out)
            The features.
        """
        if _stream.is_mapped(X):
            X = np.asarray(X)
        if _stream.is_stream(X):
            raise ParameterError(
                "fit_transform returns all features at once: for rows in blocks, call fit, then "
                "transform"
            )
        if params or self.fit_inverse_transform:
            return self.fit(X, **params).transform(X)
        model, data, n = self._fitted(X, measured=False)
        out = np.empty((n, model.shape[2]), dtype_of(model.dtype))
        with _fit.run_of(self) as run:
            self._set_model(_core.measured_features(model, data, out, run))
        return out

    @_stream.by_blocks
    def transform(self, X: Samples) -> Table:
        """Return the features of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features_out)
            The features, in single precision if the model was fitted on float32.
        """
        X = _predict.new_samples(self, X)
        out = np.empty((X.shape[0], self._n_features_out), dtype_of(self._model.dtype))
        step = _ROWS if isinstance(X, np.ndarray) or sparse.issparse(X) else max(1, len(out))
        with _fit.run_of(self) as run:
            for start in range(0, len(out), step):
                rows = X[start : start + step] if step < len(out) else X
                part = out[start : start + step]
                self._model.transform(_predict.to_model(self, rows), part, run)
        return out

    def transform_blocks(self, blocks: Iterable[Samples]) -> Iterator[Table]:
        """Return the features of blocks of samples, one block after the other.

        Parameters
        ----------
        blocks : iterable of {array-like, sparse matrix} of shape (n_rows, n_features)
            Blocks of samples, each read when it is needed.

        Yields
        ------
        X_new : ndarray of shape (n_rows, n_features_out)
            The features of each block.
        """
        check_is_fitted(self)
        for block in blocks:
            yield self.transform(block)

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
    ) -> np.ndarray:
        """Map features back to samples, rows of numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_out)
            Features.
        method : {"ridge", "fixed_point", "neighbors", "gradient"}, optional
            The inverse map fitted with `fit_inverse_transform`, which is the default, or a search
            for pre-images, as in :meth:`KernelPCA.inverse_transform`.
        n_neighbors, n_restarts, max_iter, tol
            Settings of the search, as there.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Samples with approximately these features.
        """
        check_is_fitted(self)
        search = _preimages.InverseTransform(
            _preimages.method_of(self, method), n_neighbors, n_restarts, max_iter, tol
        )
        Y = validate_scores(X, self._n_features_out)
        return _preimages.preimages(self, Y, search, False)[0]

    landmark_residual = _landmarks.landmark_residual

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _fitted(self, X, *, measured: bool) -> tuple[_core.Model, _core.Samples, int]:
        """Set a fitted model; return it with the samples of the fit and their number."""
        self._check_params()
        X = _fit.training_samples(self, X)
        if is_integer(self.n_components) and self.n_components > X.shape[0]:
            # The first sentences are scikit-learn's, to the letter.
            warn(
                "n_components > n_samples. This is not possible.\n"
                "n_components was set to n_samples, which results in inefficient evaluation of the "
                "full kernel."
            )
        choice = self._chosen(X)
        self._choice, self._custom_inverse = choice, {}
        settings = self._settings(X, choice)
        with _fit.run_of(self) as run:
            data = _fit.training_data(self, X, choice)
            model = _core.fit_landmark_features(data, settings, measured, run)
        self._set_model(model)
        warn_of_notes(self.report_)
        return model, data, X.shape[0]

    def _check_params(self) -> None:
        _landmarks.check_params(self, "n_components")
        if self.n_components is None:
            raise refuse(self, "n_components", "an integer, 'auto' or samples", None)
        _params.one_of(self, "precision", _fit.PRECISIONS)
        _params.boolean(self, "fit_inverse_transform")
        if not (is_real(self.alpha) and self.alpha >= 0):
            raise refuse(self, "alpha", "a number of at least 0", self.alpha)

    def _chosen(self, X: Checked) -> Choice:
        """The kernel; parameters that are None have their defaults."""
        given = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        plain = callable(self.kernel) and not isinstance(self.kernel, Kernel)
        if is_precomputed(self.kernel):
            raise ParameterError(
                "kernel='precomputed' leaves no samples to choose landmarks among: pass the "
                "samples and the kernel itself"
            )
        if plain and any(value is not None for value in given.values()):
            raise ParameterError(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable kernel: "
                "kernel_params are its arguments"
            )
        given["degree"] = 3 if self.degree is None else self.degree
        given["coef0"] = 1 if self.coef0 is None else self.coef0
        if isinstance(self.kernel, str) and self.kernel == "chi2" and self.gamma is None:
            given["gamma"] = 1.0  # scikit-learn's default here, unlike that of KernelPCA
        choice = choose(self.kernel, features(X), kernel_params=self.kernel_params, **given)
        if choice.functions and self.fit_inverse_transform:
            raise ParameterError(
                "fit_inverse_transform=True needs a kernel given by a name or spec, not a function"
            )
        return choice

    def _settings(self, X: Checked, choice: Choice) -> dict[str, object]:
        landmarks = _landmarks.settings(self, X, choice, "n_components")
        if self.fit_inverse_transform and not isinstance(X, _stream.Streamed):
            _preimages.inverse_targets(self, X)
        return {
            "kernel": kernel_argument(choice),
            "landmarks": landmarks,
            "inverse": float(self.alpha) if self.fit_inverse_transform else None,
            "dtype": _fit.result_type(self, X),
        }

    def _set_model(self, model: _core.Model) -> None:
        if not hasattr(self, "_choice"):
            self._custom_inverse = {}
        _fit.set_kernel_attributes(self, model)
        self.n_components_ = model.shape[2]
        found = _core.landmark_normalization(model)
        self.normalization_ = found.astype(dtype_of(model.dtype), copy=False)
        facts = self.report_["landmarks"]
        trace, left = facts["trace"], facts["residual_trace"]
        share = left / trace if trace > 0 else 0.0
        self.error_ = {"trace": trace, "residual_trace": left, "residual_share": share}

    def _params_to_save(self) -> dict[str, object]:
        """The parameters, without samples that are landmarks: the model has them."""
        params = super()._params_to_save()
        own = not isinstance(self.n_components, str) and not is_integer(self.n_components)
        return {name: v for name, v in params.items() if name != "n_components" or not own}

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        params = _fit.file_kernel_params(model) | _landmarks.params_from_file(stored, model)
        params["n_components"] = params.pop("landmarks")
        params["random_state"] = stored["landmarks"]["seed"]
        if stored["inverse"] is not None:
            params |= {"fit_inverse_transform": True, "alpha": stored["inverse"]["alpha"]}
        return params
