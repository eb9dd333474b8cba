"""Kernel PCA with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._arrays import Samples, Table, dtype_of
from mercer._kernel_pca_inverse import KernelPcaInverse
from mercer._progress import Step
from mercer.kernels import Kernel


class KernelPCA(KernelPcaInverse):
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
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two samples, which is called tile by tile. The kernel says what samples are:
        rows of numbers, texts, columns of a table, or anything that a function takes.
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
    alpha : float or "loo", default=1.0
        The ridge penalty of the map back to samples; ``"loo"`` takes the power of ten, times the
        mean of k(y, y), at which the samples are predicted best when left out.
    fit_inverse_transform : bool, default=False
        Whether to learn the map back to samples. Not with a precomputed kernel. Other ways back,
        which need no map, are methods of :meth:`inverse_transform`.
    eigen_solver : {"auto", "dense", "arpack", "randomized", "full", "krylov"}, default="auto"
        How eigenpairs are found. ``"dense"`` and ``"full"`` decompose the matrix; ``"arpack"``,
        ``"randomized"`` and ``"krylov"`` compute those wanted by products with the matrix, until
        their residuals are below `tol`; ``"auto"`` takes whichever costs less.
    tol : float, default=0
        Relative residuals to reach with products. 0 stands for 1e-8, or 1e-6 with float32 tiles.
    max_iter : int, optional
        Passes over the matrix at most, by default 300. If they do not suffice, a
        ``ConvergenceWarning`` tells the residual reached.
    iterated_power : int or "auto", default="auto"
        Of no effect, with a warning if set: the solver goes on until its residuals are small,
        which no fixed number of power iterations promises.
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
    inverse_center : bool, optional
        Whether the map back takes the mean of the samples away first and adds it afterwards. By
        default it does for a linear kernel, which without that loses the mean, as scikit-learn's
        does, and does not for others.

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
    alpha_ : float
        The penalty of the map back, if one was learned.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse array or table
        The training samples, not to be written to. A model of a precomputed kernel has none. Of a
        kernel on columns they are a table with the columns that the kernel reads: a data frame if
        X was one, else, and in a model from a file, a dictionary of columns.
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

    Components back to samples, without a map that was learned:

    >>> kpca = KernelPCA(n_components=64, kernel="rbf", gamma="scale").fit(X)
    >>> back = kpca.inverse_transform(kpca.transform(X[:5]), method="fixed_point")
    >>> bool(abs(back - X[:5]).mean() < 1.5)
    True
    """

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
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        inverse_kernel: str | Kernel | None = None,
        inverse_center: bool | None = None,
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.inverse_kernel = inverse_kernel
        self.inverse_center = inverse_center

    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            taken as they are, in any memory order; a sparse matrix stays one. Kernels for texts
            take a list or a column of texts, those on columns a data frame or a dictionary of
            columns, and functions anything that has a length.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCA
            The estimator itself.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Samples, y: object = None, **params: object) -> Table:
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

    def transform(self, X: Samples) -> Table:
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
        X = self._rows(X)
        out = np.empty((X.shape[0], self._n_features_out), dtype_of(self.report_["precision"]))
        with self._run() as run:
            self._model.transform(self._tiles(X), out, run)
        return out.astype(dtype_of(self._model.dtype), copy=False)

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
        if not self._described:
            raise ValueError(
                "the reconstruction error needs k(x, x) of new samples, which a precomputed kernel "
                "does not tell"
            )
        X = self._tiles(self._rows(X))
        with self._run() as run:
            return self._model.reconstruction_error(X, run)

    @property
    def eigenvectors_(self) -> np.ndarray:
        """Unit eigenvectors of the centred kernel matrix, in columns."""
        model = self._fitted()
        if self.__dict__.get("_eigenvectors") is None:
            self._eigenvectors = model.eigenvectors().astype(dtype_of(model.dtype), copy=False)
        return self._eigenvectors

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_eigenvectors", None)
        return state
