"""Kernel PCA with scikit-learn's interface."""

from __future__ import annotations

import json

import numpy as np
from scipy import linalg
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import dtype_of, finite, plain, samples, scaled, scores
from mercer._base import Estimator
from mercer._kernel_choice import Described, Foreign, Precomputed, choose
from mercer._params import ParameterError, is_integer, is_real, refuse
from mercer.kernels import Kernel

_SOLVERS = {
    "auto": "auto",
    "dense": "full",
    "full": "full",
    "arpack": "krylov",
    "randomized": "krylov",
    "krylov": "krylov",
}
_PRECISIONS = ("auto", "f64", "f32", "mixed")


class KernelPCA(Estimator):
    """Principal components in the feature space of a kernel.

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `n_jobs` are additions. Results are exact to the tolerance whichever solver is
    named, repeat from run to run, and do not depend on the number of threads.

    Parameters
    ----------
    n_components : int or float, optional
        How many components: a count (more than there are samples means as many as samples), a
        share of the variance between 0 and 1, or, by default, all of positive variance.
    kernel : str, Kernel or callable, default="linear"
        The name of a kernel (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``,
        ``"laplacian"``, ``"matern"``, ``"rational_quadratic"``), ``"precomputed"``, a spec such as
        ``"0.5*rbf(gamma=0.1) + linear"``, an object of :mod:`mercer.kernels`, a function of two
        rows, or another name that scikit-learn knows (``"chi2"``, ``"additive_chi2"``). Functions
        and the last are evaluated by scikit-learn, which holds the whole matrix.
    gamma : float, {"scale", "auto", "median"}, optional
        For kernels given by a name that have a gamma. By default 1 / n_features, as for
        ``"auto"``. ``"scale"`` is 1 / (n_features · variance of X); ``"median"``, for
        ``"rbf"``, takes the median distance between samples as the standard deviation.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=1
        The constant of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, optional
        Parameters of a function given as kernel, or of a kernel given by its name, such as
        ``{"nu": 2.5, "length": 3}`` for ``"matern"``.
    alpha : float, default=1.0
        The ridge penalty of the map back to samples.
    fit_inverse_transform : bool, default=False
        Whether to learn the map back to samples. Not with a precomputed kernel.
    eigen_solver : {"auto", "dense", "arpack", "randomized", "full", "krylov"}, default="auto"
        How eigenpairs are found. ``"dense"`` and ``"full"`` compute all of them; ``"arpack"``,
        ``"randomized"`` and ``"krylov"`` compute those wanted by products with the matrix, until
        their residuals are below `tol`; ``"auto"`` takes whichever costs less.
    tol : float, default=0
        Relative residuals to reach with products. 0 stands for 1e-9, or 1e-6 with float32 tiles.
    max_iter : int, optional
        Passes over the matrix at most, by default 300. If they do not suffice, a
        ``ConvergenceWarning`` tells the residual reached.
    iterated_power : int or "auto", default="auto"
        Checked, and of no effect: the solver goes on until its residuals are small, which no
        fixed number of power iterations promises.
    remove_zero_eig : bool, default=False
        Whether to leave out components of zero variance even if `n_components` counts them.
    random_state : int, RandomState instance, optional
        Seed of the solver's starting vectors. None stands for 0, so that results repeat.
    copy_X : bool, default=True
        Checked, and of no effect: the samples are always copied into the model, once, and X is
        never written to.
    n_jobs : int, optional
        Threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.
    center : bool, default=True
        Whether to take the mean away in feature space.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values. ``"auto"`` follows X. ``"f32"`` turns X into float32 and gives
        float32 results; ``"mixed"`` computes kernel values in float32 and all else in float64, and
        gives float64 results. Solvers always work in float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default what the machine has free. A
        matrix that does not fit is not stored but computed anew in each pass.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    inverse_kernel : str or Kernel, optional
        The kernel of the map back, a name or spec; by default, as in scikit-learn, the kernel
        itself with the same numbers.
    inverse_center : bool, default=False
        Whether the map back takes the mean of the samples away first and adds it afterwards.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its unit eigenvectors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of the variance in feature space that each component explains.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the map back, if one was learned.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The components of the training samples, if a map back was learned.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training samples, not to be written to. A model of a precomputed kernel has none.
    gamma_ : float
        The gamma that was used.
    kernel_ : str
        The kernel with all its numbers, as a spec.
    report_ : dict
        How the fit went: solver, storage and why, passes, residual, seconds, notes.
    scaling_ : dict or None
        Scaling of columns, of models that the command line fitted with one.
    n_features_in_ : int
        Columns of X.
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
    """

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
        center=True,
        precision="auto",
        memory_budget=None,
        progress=False,
        inverse_kernel=None,
        inverse_center=False,
    ):
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.inverse_kernel = inverse_kernel
        self.inverse_center = inverse_center

    def fit(self, X, y=None):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            taken as they are, in any memory order; a sparse matrix is written out if it fits the
            memory budget.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCA
            The estimator itself.
        """
        self._fit(X)
        return self

    def fit_transform(self, X, y=None, **params):
        """Fit the model and return the components of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.
        **params
            Handed on to :meth:`fit`, which takes none.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        self.fit(X, **params)
        return self._training_scores()

    def transform(self, X):
        """Return the components of samples.

        The matrix of kernel values with the training samples is never held.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        X = self._tiles(X)
        out = np.empty((len(X), self._n_features_out), dtype=X.dtype)
        with self._run() as run:
            self._model.transform(X, out, run)
        return out.astype(dtype_of(self._model.dtype), copy=False)

    def inverse_transform(self, X):
        """Map components back to samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Samples whose components these nearly are.
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and "
                "hence the inverse transform is not available."
            )
        if isinstance(self._choice, Foreign):
            K = self._choice.matrix(
                scores(X, self._n_features_out), self._foreign["scores"], self.n_jobs
            )
            return K @ self._foreign["dual_coef"]
        tile = dtype_of(self.report_["precision"])
        X = scores(X, self._n_features_out).astype(tile, copy=False)
        out = np.empty((len(X), self.n_features_in_), dtype=tile)
        with self._run() as run:
            self._model.inverse_transform(X, out, run)
        self._model.unscale(out)
        return out.astype(dtype_of(self._model.dtype), copy=False)

    def reconstruction_error(self, X):
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
                "the reconstruction error needs k(x, x) of new samples, which only a kernel that "
                "is given by a name or spec can tell"
            )
        X = self._tiles(X)
        with self._run() as run:
            return self._model.reconstruction_error(X, run)

    @property
    def eigenvectors_(self):
        """Unit eigenvectors of the centred kernel matrix, in columns."""
        model = self._fitted()
        if self.__dict__.get("_eigenvectors") is None:
            self._eigenvectors = model.eigenvectors().astype(dtype_of(model.dtype), copy=False)
        return self._eigenvectors

    @property
    def X_fit_(self):  # noqa: N802
        """The training samples."""
        model = self._fitted()
        found = self._foreign["X"] if self._foreign else model.anchors
        return _present(found, "a model of a precomputed kernel keeps no samples")

    @property
    def dual_coef_(self):
        """Coefficients of the map back to samples."""
        model = self._fitted()
        found = self._foreign.get("dual_coef") if self._foreign else model.inverse_coef
        return _present(found, "no map back was learned: set fit_inverse_transform=True")

    @property
    def X_transformed_fit_(self):  # noqa: N802
        """The components that the map back was learned on."""
        model = self._fitted()
        found = self._foreign.get("scores") if self._foreign else model.inverse_anchors
        return _present(found, "no map back was learned: set fit_inverse_transform=True")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_eigenvectors", None)
        return state

    def save(self, path):
        """Write the fitted model to a file, whole or not at all.

        The file is read by :func:`mercer.load`, by the command line and by the Rust library. A
        kernel that scikit-learn evaluates cannot be written: pickle the estimator instead.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.mercer``.
        """
        check_is_fitted(self)
        if isinstance(self._choice, Foreign):
            raise ValueError(
                f"the kernel {self._choice.name!r} is a function that a model file cannot hold: "
                "pickle the estimator, or choose a kernel by a spec"
            )
        super().save(path)

    # How a fit goes.

    def _fit(self, X) -> None:
        self._check_params()
        X = samples(self, X, reset=True, accept_sparse=True)
        choice = choose(
            self.kernel,
            X.shape[1],
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
        )
        self._choice, self._foreign, self._eigenvectors = choice, {}, None
        with self._run() as run:
            if isinstance(choice, Described):
                model = _core.fit_kernel_pca(X, self._choices(X, choice.text), run)
            else:
                model = self._fit_matrix(X, choice, run)
        self._restore(model)
        if isinstance(choice, Foreign):
            self._learn_foreign_inverse(X)

    def _fit_matrix(self, X, choice, run) -> _core.Model:
        finite(X)
        if isinstance(choice, Foreign):
            self._foreign = {"X": X.copy()}
            X = choice.matrix(X, None, self.n_jobs)
        elif X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed metric requires a square matrix. Got {X.shape} instead."
            )
        single = self._tile_is_single(X)
        X = plain(X.astype(np.float32 if single else np.float64, copy=False))
        return _core.fit_gram(X, self._choices(X, "linear"), run)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            self._choice, self._foreign, self._eigenvectors = self._choice_of(model), {}, None
        self._keep(model)
        dtype = dtype_of(model.dtype)
        self.eigenvalues_ = model.eigenvalues.astype(dtype, copy=False)
        self.explained_variance_ratio_ = model.variance_ratio.astype(dtype, copy=False)
        self.kernel_ = _stored(model)["kernel"] if self._described else self._choice.name
        self.gamma_ = self._resolved_gamma(model.shape[1])

    @property
    def _described(self) -> bool:
        return isinstance(self._choice, Described)

    def _choice_of(self, model: _core.Model):
        return Precomputed() if model.anchors is None else Described(_stored(model)["kernel"])

    @staticmethod
    def _params_of(stored: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file."""
        from mercer._load import components_of

        params = {
            "n_components": components_of(stored["components"]),
            "kernel": "precomputed" if model.anchors is None else stored["kernel"],
            "center": stored["center"],
            "eigen_solver": stored["solver"],
            "tol": stored["tolerance"] or 0,
            "max_iter": stored["max_passes"],
            "random_state": stored["seed"],
            "remove_zero_eig": stored["remove_zero"],
            "precision": "mixed" if _is_mixed(model) else "auto",
        }
        if stored["inverse"] is not None:
            params["fit_inverse_transform"] = True
            params["inverse_kernel"] = stored["inverse"]["kernel"]
            params["alpha"] = stored["inverse"]["alpha"]
            params["inverse_center"] = stored["inverse"]["center"]
        return params

    def _check_params(self) -> None:
        _check_components(self)
        _params.boolean(
            self, "fit_inverse_transform", "remove_zero_eig", "copy_X", "center", "inverse_center"
        )
        _params.one_of(self, "eigen_solver", tuple(_SOLVERS))
        _params.one_of(self, "precision", _PRECISIONS)
        _params.at_least(self, "alpha", 0)
        _params.at_least(self, "tol", 0)
        _params.auto_or_count(self, "iterated_power")
        if self.max_iter is not None:
            _params.at_least(self, "max_iter", 1, integer=True)
        if not self.fit_inverse_transform:
            if self.inverse_kernel is not None:
                raise ParameterError("inverse_kernel is given, but fit_inverse_transform is False")
        elif isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")

    def _choices(self, X, text: str) -> dict[str, object]:
        """The parameters as the compiled part takes them."""
        count = self.n_components
        return {
            "components": min(int(count), len(X)) if is_integer(count) else count,
            "kernel": text,
            "center": bool(self.center),
            "solver": _SOLVERS[self.eigen_solver],
            "tolerance": float(self.tol) or None,
            "max_passes": None if self.max_iter is None else int(self.max_iter),
            "seed": _params.seed(self.random_state),
            "remove_zero": bool(self.remove_zero_eig),
            "inverse": self._inverse_choices() if self._described else None,
            "single": self._tile_is_single(X),
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _inverse_choices(self) -> tuple | None:
        if not self.fit_inverse_transform:
            return None
        text = None
        if self.inverse_kernel is not None:
            text = inverse_text(self.inverse_kernel)
        return text, float(self.alpha), bool(self.inverse_center)

    def _tile_is_single(self, X) -> bool:
        if self.precision == "auto":
            return X.dtype == np.float32
        return self.precision in ("f32", "mixed")

    def _results(self, X) -> np.dtype:
        if self.precision == "auto":
            return X.dtype
        return np.dtype(np.float32 if self.precision == "f32" else np.float64)

    def _learn_foreign_inverse(self, X) -> None:
        """The map back with a kernel that only scikit-learn can evaluate, as it is done there."""
        if not self.fit_inverse_transform:
            return
        if self.inverse_kernel is not None or self.inverse_center:
            raise ParameterError(
                "inverse_kernel and inverse_center need a kernel that is given by a name or spec"
            )
        fitted = self._training_scores()
        K = self._choice.matrix(fitted, None, self.n_jobs)
        K.flat[:: len(K) + 1] += self.alpha
        self._foreign["scores"] = fitted
        self._foreign["dual_coef"] = linalg.solve(K, X, assume_a="pos", overwrite_a=True)

    def _training_scores(self) -> np.ndarray:
        n, _, k = self._model.shape
        out = np.empty((n, k), dtype=dtype_of(self._model.dtype))
        self._model.training_scores(out)
        return out

    def _tiles(self, X) -> np.ndarray:
        """New samples, or kernel values, as the model takes them."""
        check_is_fitted(self)
        given = not self._described
        X = samples(self, X, reset=False, accept_sparse=True, check_finite=given)
        if isinstance(self._choice, Foreign):
            X = self._choice.matrix(X, self._foreign["X"], self.n_jobs)
        X = scaled(self._model, X)
        return plain(X.astype(dtype_of(self.report_["precision"]), copy=False))

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


def _check_components(estimator) -> None:
    count = estimator.n_components
    fine = count is None or (is_integer(count) and count >= 1)
    if not fine and not (is_real(count) and not is_integer(count) and 0 < count < 1):
        expected = "an integer of at least 1, a share between 0 and 1, or None"
        raise refuse(estimator, "n_components", expected, count)


def inverse_text(kernel: str | Kernel) -> str:
    """Return the spec of the map back's kernel."""
    if isinstance(kernel, Kernel):
        return kernel.spec
    if isinstance(kernel, str):
        return _core.canonical(kernel)
    raise ParameterError(f"inverse_kernel must be a spec or a kernel object, not {kernel!r}")


def _present(found: np.ndarray | None, otherwise: str) -> np.ndarray:
    if found is None:
        raise AttributeError(otherwise)
    return found


def _stored(model: _core.Model) -> dict:
    return json.loads(model.params)


def _is_mixed(model: _core.Model) -> bool:
    return model.dtype == "f64" and json.loads(model.report)["precision"] == "f32"
