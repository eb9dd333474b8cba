"""Kernel PCA with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import (
    _components,
    _core,
    _fit,
    _landmarks,
    _optimize,
    _params,
    _predict,
    _preimages,
)
from mercer._arrays import Samples, Table, dtype_of, validate_scores
from mercer._base import Estimator
from mercer._kernel_choice import Choice, Described
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._samples import Checked
from mercer._stream import by_blocks, refuse_once
from mercer._time_limit import Clock, fitting
from mercer.kernels import Kernel
from mercer.reports import Report


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Principal components in the feature space of a kernel.

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `n_jobs` are additions. Results are exact to the tolerance whichever solver is
    named, are repeatable, and do not depend on the number of threads.

    Parameters
    ----------
    n_components : int or float, optional
        Number of components (at most the number of samples), a fraction of the variance between 0
        and 1, or, by default, all components of positive variance.
    kernel : str, Kernel or callable, default="linear"
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two samples, which is called tile by tile. The kernel determines what samples
        are: rows of numbers, strings, columns of a table, or anything that a function takes.
    gamma : float, {"scale", "auto", "median"}, optional
        For kernels given by a name that have a gamma. ``"auto"`` is the default,
        1 / n_features; ``"scale"`` is 1 / (n_features · variance of X); ``"median"``, for
        ``"rbf"``, sets the length scale to the median distance between samples.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=1
        The constant of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, optional
        Parameters of a function given as kernel, or of a kernel given by its name, such as
        ``{"nu": 2.5, "length": 3}`` for ``"matern"``.
    alpha : float or "loo", default=1.0
        The ridge penalty of the inverse map; ``"loo"`` chooses the power of ten, times the mean of
        k(y, y), with the lowest leave-one-out error.
    fit_inverse_transform : bool, default=False
        Whether to fit the inverse map to samples. Not with a precomputed kernel. Other methods of
        :meth:`inverse_transform` need no such map.
    eigen_solver : {"auto", "dense", "arpack", "randomized", "full", "krylov"}, default="auto"
        How eigenpairs are computed. ``"dense"`` and ``"full"`` decompose the matrix; ``"arpack"``,
        ``"randomized"`` and ``"krylov"`` compute those wanted by products with the matrix, until
        their residuals are below `tol`; ``"auto"`` takes the cheaper.
    tol : float, default=0
        Tolerance of relative residuals, for iterative solvers. 0 stands for 1e-8, or 1e-6 with
        float32 kernel values.
    max_iter : int, optional
        Maximum number of passes over the matrix, by default 300. If they do not suffice, a
        ``ConvergenceWarning`` reports the residual reached.
    iterated_power : int or "auto", default="auto"
        Has no effect, with a warning if set: the solver iterates until its residuals are small,
        which no fixed number of power iterations guarantees.
    remove_zero_eig : bool, default=False
        Whether to omit components of zero variance even if `n_components` is a number.
    random_state : int, RandomState instance, optional
        Seed of the solver's starting vectors. None stands for 0, so that results are repeatable.
    copy_X : bool, default=True
        Has no effect: the samples are always copied into the model, once, and X is never modified.
    n_jobs : int, optional
        Number of threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.
    center : bool, default=True
        Whether to centre the samples in feature space.
    max_time : float, optional
        Time limit of the fit in seconds. A fit that takes longer raises a TimeoutError, since there
        are no components before all are found.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values. ``"auto"`` is that of X. ``"f32"`` converts X to float32 and
        returns float32; ``"mixed"`` computes kernel values in float32 and everything else in
        float64, and returns float64. Solvers always work in float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default all free memory. A
        matrix that does not fit is not stored but recomputed in each pass.
    progress : bool or callable, default=False
        Whether to show a progress bar, or a function that is called with each :class:`mercer.Step`.
    inverse_kernel : str or Kernel, optional
        The kernel of the inverse map, a name or spec; by default, as in scikit-learn, the kernel
        itself with the same parameters.
    inverse_center : bool, optional
        Whether the inverse map subtracts the mean of the samples first and adds it afterwards. The
        default is True for a linear kernel, which otherwise loses the mean, as scikit-learn's does,
        and False for others.
    landmarks : int, "auto" or array-like of samples, optional
        Approximates the kernel matrix by so many of the samples, or by the samples given: memory
        and time grow with the number of samples times that of landmarks, never with its square.
        ``"auto"`` adds landmarks until at most `landmark_tol` of the trace of the kernel matrix is
        left, estimated on a sample of the rows. None, the default, is exact.
        ``report_["landmarks"]`` says how good the approximation is.
    landmark_tol : float, default=0.01
        The share of the trace that ``landmarks="auto"`` may leave.
    landmark_method : {"pivoted_cholesky", "uniform", "kmeans"}, default="pivoted_cholesky"
        How landmarks are chosen: by randomly pivoted Cholesky, which prefers samples that the
        others represent badly; each sample with the same probability; or as the means of as many
        clusters, for rows of numbers that are not sparse.
    device : {"cpu", "cuda", "cuda:1", "auto"}, default="cpu"
        Where the kernel matrix is computed and held, in a fit and in predictions: on the processor,
        on a CUDA device (with a number where there are several), or, with ``"auto"``, on the first
        device if there is one that computes the kernel. Devices take kernels on dense rows of
        numbers, in double precision, without `landmarks`; results agree with the processor's to
        rounding errors. Needs ``pip install mercer[cuda]`` or cuBLAS. A model from a file predicts
        on the processor.
    optimize : {"alignment"}, optional
        Searches for the parameters of the kernel by gradient, from the given values on: those
        whose centred kernel matrix is best aligned with that of the targets or classes `y` of
        :meth:`fit`. ``report_["optimization"]`` says how the search went.
    optimize_params : dict, optional
        How it is searched, as for :class:`mercer.KernelRidge`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its unit eigenvectors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The fraction of the variance in feature space that each component explains.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse map, if one was fitted.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The components of the training samples, if an inverse map was fitted.
    alpha_ : float
        The penalty of the inverse map, if one was fitted.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse array or table
        The training samples, or the landmarks, read-only. A model with a precomputed kernel has
        none. For a kernel on columns, a table of the columns that the kernel reads: a data frame if
        X was one, else, and in a model from a file, a dictionary of columns.
    landmarks_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks, if there are any.
    gamma_ : float
        The resolved gamma.
    kernel_ : str
        The kernel with all its parameters, as a spec.
    report_ : dict
        Details of the fit: solver, storage and why, passes, residual, seconds, notes.
    scaling_ : dict or None
        Scaling of columns, for models that the command line fitted with one.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import KernelPCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> KernelPCA(n_components=7, kernel="linear").fit_transform(X).shape
    (1797, 7)
    >>> KernelPCA(n_components=0.5, kernel="rbf", gamma="scale").fit(X).kernel_
    'rbf(gamma=0.00043...)'

    From components back to samples, without a fitted inverse map:

    >>> kpca = KernelPCA(n_components=64, kernel="rbf", gamma="scale").fit(X)
    >>> back = kpca.inverse_transform(kpca.transform(X[:5]), method="fixed_point")
    >>> bool(abs(back - X[:5]).mean() < 1.5)
    True
    """

    _cached = ("_eigenvectors",)

    eigenvalues_: np.ndarray
    explained_variance_ratio_: np.ndarray
    alpha_: float
    gamma_: float
    kernel_: str
    report_: Report

    X_fit_ = property(_predict.training_set)
    landmarks_ = property(_landmarks.landmarks)
    dual_coef_ = property(_preimages.inverse_coef)
    X_transformed_fit_ = property(_preimages.inverse_components)

    def __init__(
        self,
        n_components: float | None = None,
        *,
        kernel: str | Kernel | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict | None = None,
        alpha: float | str = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: int | np.random.RandomState | None = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        center: bool = True,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        inverse_kernel: str | Kernel | None = None,
        inverse_center: bool | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        device: str = "cpu",
        optimize: str | None = None,
        optimize_params: dict | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.center = center
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.inverse_kernel = inverse_kernel
        self.inverse_center = inverse_center
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.device = device
        self.optimize = optimize
        self.optimize_params = optimize_params

    @_fit.unchanged_on_error
    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            used as they are, in any memory order; a sparse matrix stays sparse. Kernels on strings
            take a list or a column of strings, those on columns a data frame or a dictionary of
            columns, and functions any sequence. With `landmarks`, also a table that does not fit
            into memory: see :func:`mercer.scan`.
        y : array-like of shape (n_samples,), optional
            Targets or classes that ``optimize="alignment"`` aligns the kernel with; else not used.

        Returns
        -------
        self : KernelPCA
            The estimator itself.
        """
        clock = Clock(self)
        _components.check_params(self)
        _params.boolean(self, "remove_zero_eig", "copy_X")
        _params.auto_or_count(self, "iterated_power")
        _params.warn_without_effect(self, iterated_power="auto")
        _preimages.check_inverse_params(self)
        optimize = _optimize.settings(self, ("alignment",))
        X = _fit.training_samples(self, X)
        search = optimize and ((_optimize.aligned_targets(self, X, y), None), optimize)
        if self.fit_inverse_transform:
            X = _preimages.inverse_targets(self, X)
        choice = _fit.choose_kernel(self, X)
        self._choice, self._custom_inverse = choice, {}
        with fitting(self, clock, _components.TAKES_LONG) as run:
            data, settings = _fit.training_data(self, X, choice), self._settings(X, choice)
            model = _core.fit_kernel_pca(data, settings, run, search)
        self._set_model(model)
        warn_of_notes(self.report_)
        if choice.functions and self.fit_inverse_transform:
            _preimages.fit_custom_inverse(self, X, self._training_scores())
        return self

    def fit_transform(self, X: Samples, y: object = None, **params: object) -> Table:
        """Fit the model and return the components of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : array-like of shape (n_samples,), optional
            As for :meth:`fit`.
        **params
            Passed to :meth:`fit`, which takes none.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        refuse_once(X)
        self.fit(X, y, **params)
        return self.transform(X) if _landmarks.is_low_rank(self) else self._training_scores()

    @available_if(_landmarks.are_set)
    @_fit.unchanged_on_error
    def partial_fit(self, X: Samples, y: object = None) -> Self:
        """Fit on more samples; requires `landmarks`.

        The first call chooses the landmarks among its samples, unless they are given, and later
        calls keep them: the model is that of all samples so far. It also goes on from a file.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCA
            The estimator itself.
        """
        if not hasattr(self, "_model"):
            return _landmarks.first_fit(self, lambda: self.fit(X))
        self._set_model(_landmarks.continue_fit(self, X, None))
        return self

    landmark_residual = _landmarks.landmark_residual

    @by_blocks
    def transform(self, X: Samples) -> Table:
        """Return the components of samples.

        The matrix of kernel values with the training samples is never stored.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        X = _predict.new_samples(self, X)
        out = np.empty((X.shape[0], self._n_features_out), dtype_of(self._model.precision))
        with _fit.run_of(self) as run:
            self._model.transform(_predict.to_model(self, X), out, run)
        return out.astype(dtype_of(self._model.dtype), copy=False)

    @overload
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: Literal[False] = False,
    ) -> np.ndarray: ...
    @overload
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: Literal[True],
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @_preimages.unless_precomputed
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: bool = False,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Map components back to samples.

        Few points of the feature space are images of samples, so usually no sample has exactly
        these components. Each method finds a sample whose image is near.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.
        method : {"ridge", "fixed_point", "neighbors", "gradient"}, optional
            The inverse map fitted with `fit_inverse_transform`, which is the default; a fixed-point
            iteration, for ``"rbf"`` only; a weighted mean of the nearest training samples; or
            gradient descent, for kernels that have a gradient.
        n_neighbors : int, default=10
            Number of training samples that ``"neighbors"`` averages and the others start from.
        n_restarts : int, default=3
            Number of starting points of ``"fixed_point"`` and ``"gradient"`` for each sample; the
            result whose image is nearest is kept.
        max_iter : int, default=300
            Maximum number of iterations from each starting point. If they do not suffice, a
            ``ConvergenceWarning`` says for how many samples.
        tol : float, default=1e-6
            The step size at which they stop, relative to the spread of the training samples.
        return_error : bool, default=False
            Whether to also return the squared distance in feature space between each sample's image
            and the point with these components.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Samples with approximately these components.
        errors : ndarray of shape (n_samples,)
            The squared distances, if `return_error`.

        Raises
        ------
        NotFittedError
            If no method is given and `fit_inverse_transform` is False. With a precomputed kernel
            ``hasattr`` is False, too.
        """
        check_is_fitted(self)
        search = _preimages.InverseTransform(
            _preimages.method_of(self, method), n_neighbors, n_restarts, max_iter, tol
        )
        Y = validate_scores(X, self._n_features_out)
        if self._choice.functions:
            return _preimages.custom_preimages(self, Y, return_error)
        found, errors = _preimages.preimages(self, Y, search, bool(return_error))
        return (found, errors) if return_error else found

    @by_blocks
    def reconstruction_error(self, X: Samples) -> np.ndarray:
        """Return the squared distance, in feature space, of samples to the span of the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        errors : ndarray of shape (n_samples,)
            k̄(x, x) − Σ_i f_i(x)² for each sample, with k̄ the centred kernel and f the components.
        """
        check_is_fitted(self)
        if not isinstance(self._choice, Described):
            raise ValueError(
                "the reconstruction error needs k(x, x) of new samples, which is unknown for a "
                "precomputed kernel"
            )
        X = _predict.to_model(self, _predict.new_samples(self, X))
        with _fit.run_of(self) as run:
            return self._model.reconstruction_error(X, run)

    @property
    def eigenvectors_(self) -> np.ndarray:
        """Unit eigenvectors of the centred kernel matrix, in columns; not with landmarks."""
        model = self._fitted_model()
        if _landmarks.is_low_rank(self):
            raise AttributeError("a model with landmarks has no eigenvectors of all samples")
        if vars(self).get("_eigenvectors") is None:
            self._eigenvectors = model.eigenvectors().astype(dtype_of(model.dtype), copy=False)
        return self._eigenvectors

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _settings(self, X: Checked, choice: Choice) -> dict[str, object]:
        by_core = isinstance(choice, Described) and not choice.functions
        return _components.settings(self, X, choice) | {
            "remove_zero": bool(self.remove_zero_eig),
            "inverse": _preimages.inverse_settings(self) if by_core else None,
        }

    def _set_model(self, model: _core.Model) -> None:
        if not hasattr(self, "_choice"):
            self._custom_inverse = {}
        self._eigenvectors = None
        _fit.set_kernel_attributes(self, model)
        _components.set_attributes(self, model)
        vars(self).pop("alpha_", None)
        inverse = _fit.stored_params(model)["inverse"]
        if inverse is not None:
            self.alpha_ = inverse["alpha"]

    def _training_scores(self) -> np.ndarray:
        n, _, k = self._model.shape
        out = np.empty((n, k), dtype=dtype_of(self._model.dtype))
        self._model.training_scores(out)
        return out

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        params = _components.params_from_file(stored, model)
        params["remove_zero_eig"] = stored["remove_zero"]
        if stored["inverse"] is not None:
            params["fit_inverse_transform"] = True
            params["inverse_kernel"] = stored["inverse"]["kernel"]
            params["alpha"] = stored["inverse"]["alpha"]
            params["inverse_center"] = stored["inverse"]["center"]
        return params
