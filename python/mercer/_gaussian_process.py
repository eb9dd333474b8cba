"""Gaussian process regression with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state

from mercer import _core, _fit, _optimize, _params, _predict, _ridge
from mercer._arrays import Samples, validate_targets, validate_weights
from mercer._base import Estimator
from mercer._kernel_choice import Described, choose, kernel_argument
from mercer._params import ParameterError, is_real
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._time_limit import Clock, fitting
from mercer.kernels import Kernel
from mercer.reports import RegressionReport

_OPTIMIZERS = ("l-bfgs", "fmin_l_bfgs_b")
_TAKES_LONG = "raise max_time, fit on fewer samples, or start from other parameters"


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """Gaussian process regression: predictions with their uncertainty, by exact inference.

    The targets are y = f(x) + noise, where f is a Gaussian process whose covariance is the kernel.
    Kernel and noise are those of the largest log marginal likelihood, found by gradient. The mean
    of the process is kernel ridge regression with the variance of the noise as penalty, and model
    files hold it as such. Results are repeatable and do not depend on the number of threads.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf(sigma=median)"
        The covariance, and where the search starts, such as ``"rbf(sigma=2) + linear"`` or an
        object of :mod:`mercer.kernels`. Its size, and the weights of sums, are searched for too.
    alpha : float, array-like of shape (n_samples,) or "learn", default="learn"
        The variance of the noise: learned, given, or given for each sample.
    optimizer : {"l-bfgs"} or None, default="l-bfgs"
        How parameters are searched for; None takes them as they are.
    n_restarts_optimizer : int, default=0
        Further starts of the search at random.
    normalize_y : bool, default=True
        Whether the process is that of the targets less their mean, in units of their standard
        deviation. Kernel and `alpha` are then in these units too; ``kernel_``, ``alpha_`` and
        predictions are in those of the targets.
    ard : bool, default=False
        Whether each column gets a width of its own.
    bounds : tuple of two floats, default=(1e-5, 1e5)
        The factors by which lengths and weights may change, rates such as gamma by their squares.
    max_evaluations : int, default=200
        Evaluations of the likelihood of each start.
    tol : float, default=1e-5
        The gradient to reach, relative to the log marginal likelihood where that exceeds 1.
    random_state : int, RandomState instance, optional
        Seed of the starts. None stands for 0, so that results are repeatable.
    max_time : float, optional
        Time limit of the fit in seconds; a TimeoutError if it passes.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values of predictions, as for :class:`mercer.KernelRidge`. Parameters
        are always searched for in float64.
    memory_budget, progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`.

    Attributes
    ----------
    kernel_ : str
        The kernel that was found, as a spec, in units of the targets.
    alpha_ : float
        The variance of the noise that was found, in units of the targets; of a sample with a
        weight, it is divided by that.
    log_marginal_likelihood_value_ : float
        The log marginal likelihood of the targets less their mean.
    X_train_ : ndarray of shape (n_samples, n_features)
        The training samples, read-only.
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The training targets; not of a model from a file.
    report_ : dict
        Details of the fit; ``report_["optimization"]`` says how the search went.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import GaussianProcessRegressor
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = GaussianProcessRegressor().fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5], [60.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 0.01), bool(std[1] > 100 * std[0])
    (True, True)
    """

    _posterior: _core.PosteriorStd | None = None
    _cached = ("_posterior",)
    # What the choice of a kernel reads of any estimator.
    gamma, degree, coef0, kernel_params = None, 3, 1, None

    intercept_: float | np.ndarray
    gamma_: float
    kernel_: str
    n_iter_: int
    report_: RegressionReport

    X_train_ = property(_predict.training_set)
    _notes_to_save = _ridge.notes

    def __init__(
        self,
        kernel: str | Kernel = "rbf(sigma=median)",
        *,
        alpha: float | str | ArrayLike = "learn",
        optimizer: str | None = "l-bfgs",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = True,
        ard: bool = False,
        bounds: tuple[float, float] = (1e-5, 1e5),
        max_evaluations: int = 200,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.ard = ard
        self.bounds = bounds
        self.max_evaluations = max_evaluations
        self.tol = tol
        self.random_state = random_state
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    @property
    def alpha_(self) -> float:
        """The variance of the noise that was found."""
        return _fit.stored_params(self._fitted_model())["alpha"][0]

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """The log marginal likelihood of the targets less their mean."""
        found = self.report_.get("optimization")
        return self.log_marginal_likelihood() if found is None else found["value"]

    def _set_model(self, model: _core.Model) -> None:
        _ridge.set_attributes(self, model)
        self._posterior = None

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        kernel = _fit.file_kernel_params(model)
        return kernel | {"alpha": stored["alpha"][0], "optimizer": None, "normalize_y": False}

    @_fit.unchanged_on_error
    def fit(self, X: Samples, y: ArrayLike, noise_weight: ArrayLike | None = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples: rows of numbers, strings, or columns of a table, as the kernel takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; several share the kernel.
        noise_weight : array-like of shape (n_samples,), optional
            The variance of a sample's noise is `alpha` divided by its weight; one of weight 0 is
            left out.

        Returns
        -------
        self : GaussianProcessRegressor
            The estimator itself.
        """
        clock = Clock(self)
        settings = self._settings()
        X = _fit.training_samples(self, X)
        y, flat = validate_targets(self, y, X)
        noise, weights = self._noise(noise_weight, X.shape[0])
        choice = self._choose(X.shape[1])
        data = _fit.training_data(self, X, choice)
        settings |= {
            "kernel": kernel_argument(choice),
            "noise": noise,
            "dtype": _fit.result_type(self, X),
        }
        with fitting(self, clock, _TAKES_LONG) as run:
            model = _core.fit_gaussian_process(data, (y, weights), settings, run)
        self._choice, self._flat = choice, flat
        self.y_train_ = y[:, 0] if flat else y
        self._set_model(model)
        warn_of_notes(self.report_)
        return self

    def _settings(self) -> dict[str, object]:
        _params.boolean(self, "normalize_y", "ard")
        _params.one_of(self, "precision", _fit.PRECISIONS)
        if self.optimizer is not None and self.optimizer not in _OPTIMIZERS:
            raise ParameterError(f"optimizer must be 'l-bfgs' or None, not {self.optimizer!r}")
        search = None
        if self.optimizer is not None:
            given = {
                "ard": self.ard,
                "restarts": self.n_restarts_optimizer,
                "bounds": self.bounds,
                "max_evaluations": self.max_evaluations,
                "tol": self.tol,
            }
            search = _optimize.search("evidence", given, self.random_state)
        return {"normalize": bool(self.normalize_y), "optimize": search}

    def _choose(self, n_features: int) -> Described:
        choice = choose(self.kernel, n_features)
        if not isinstance(choice, Described):
            raise ParameterError(
                "kernel='precomputed' has no parameters and no k(x, x): use KernelRidge"
            )
        return choice

    def _noise(self, noise_weight, n: int) -> tuple[float | None, np.ndarray | None]:
        """The variance of the noise, None to learn it, and the weights by which it is divided."""
        weights = validate_weights(noise_weight, n)
        if isinstance(self.alpha, str) and self.alpha == "learn":
            if self.optimizer is None:
                raise ParameterError("alpha='learn' needs an optimizer: give the noise, or set it")
            return None, weights
        if is_real(self.alpha) and self.alpha >= 0:
            return float(self.alpha), weights
        if isinstance(self.alpha, str) or is_real(self.alpha):
            raise ParameterError(f"alpha must be 'learn' or at least 0, not {self.alpha!r}")
        each = np.asarray(self.alpha, dtype=np.float64)
        if each.shape != (n,) or not (np.isfinite(each) & (each > 0)).all():
            raise ParameterError(
                f"alpha must be one positive number for each of the {n} samples, or one for all"
            )
        of_noise = 1.0 / each
        return 1.0, of_noise if weights is None else of_noise * weights

    def predict(self, X: Samples, return_std: bool = False, return_cov: bool = False) -> Any:
        """Predict the targets of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        return_std : bool, default=False
            Whether to also return the standard deviation of f at each sample; see
            :meth:`predict_interval` for that of a new target, noise included.
        return_cov : bool, default=False
            Whether to also return the covariance of f between the samples.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The mean of f.
        std : ndarray of the same shape
            The standard deviations, if `return_std`.
        cov : ndarray of shape (n_samples, n_samples)
            The covariance, if `return_cov`; the same for all targets.
        """
        if return_std and return_cov:
            raise ValueError(
                "return_std and return_cov exclude each other: the deviations are the "
                "roots of the covariance's diagonal"
            )
        X = _predict.new_samples(self, X)
        mean = _ridge.predict(self, X)
        if return_cov:
            return mean, self._covariance(X)
        return (mean, _ridge.posterior_std(self, X)) if return_std else mean

    def _covariance(self, X) -> np.ndarray:
        with _fit.run_of(self) as run:
            if self._posterior is None:
                self._posterior = _core.PosteriorStd(self._model, run)
            return self._posterior.covariance(_predict.to_model(self, X), 0, run)

    def predict_interval(self, X: Samples, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return an interval that holds a new target of each sample with probability `level`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        level : float, default=0.95
            The probability, between 0 and 1.

        Returns
        -------
        low, high : ndarrays of shape (n_samples,) or (n_samples, n_targets)
            The ends of the intervals, noise of variance ``alpha_`` included.
        """
        if not (is_real(level) and 0 < level < 1):
            raise ParameterError(f"level must lie between 0 and 1, not {level!r}")
        mean, std = self.predict(X, return_std=True)
        reach = ndtri(0.5 + level / 2) * np.sqrt(std**2 + self.alpha_)
        return mean - reach, mean + reach

    def predict_gradient(self, X: Samples) -> np.ndarray:
        """Return the gradient of the mean by the columns of X; for smooth kernels on whole rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        gradient : ndarray of shape (n_samples, n_features) or (n_samples, n_targets, n_features)
            The derivatives.
        """
        X = _predict.new_samples(self, X)
        with _fit.run_of(self) as run:
            found = _core.process_gradients(self._model, _predict.to_model(self, X), run)
        return found if self._flat else found.reshape(len(found), self._model.shape[2], -1)

    def sample_y(
        self, X: Samples, n_samples: int = 1, random_state: int | np.random.RandomState | None = 0
    ) -> np.ndarray:
        """Draw functions from the posterior and return their values at samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
            Samples.
        n_samples : int, default=1
            Functions for each target.
        random_state : int, RandomState instance or None, default=0
            Seed of the draws.

        Returns
        -------
        y : ndarray of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
            The values.
        """
        mean, cov = self.predict(X, return_cov=True)
        rng = check_random_state(random_state)
        if self._flat:
            return rng.multivariate_normal(mean, cov, n_samples).T
        draws = [rng.multivariate_normal(column, cov, n_samples).T for column in mean.T]
        return np.stack(draws, axis=1)

    def log_marginal_likelihood(
        self, theta: ArrayLike | None = None, eval_gradient: bool = False
    ) -> float | tuple[float, np.ndarray]:
        """Return the log marginal likelihood of the training targets less their mean.

        Parameters
        ----------
        theta : array-like of shape (n_parameters,), optional
            Logarithms of the parameters, in the order of :meth:`parameters`; by default those
            found.
        eval_gradient : bool, default=False
            Whether to also return the gradient by these.

        Returns
        -------
        value : float
            The log marginal likelihood.
        gradient : ndarray of shape (n_parameters,)
            Its gradient, if `eval_gradient`.
        """
        model = self._fitted_model()
        if not hasattr(self, "y_train_"):
            raise AttributeError("a model from a file has no targets, which the likelihood needs")
        logs = None if theta is None else [float(v) for v in np.ravel(np.asarray(theta))]
        y = np.asarray(self.y_train_, dtype=np.float64).reshape(model.shape[0], -1)
        with _fit.run_of(self) as run:
            value, gradient = _core.process_likelihood(model, np.ascontiguousarray(y), logs, run)
        return (value, np.array(gradient)) if eval_gradient else value

    def parameters(self) -> dict[str, float]:
        """Return the parameters that a search varies, with the values found.

        Returns
        -------
        parameters : dict of str to float
            The size and the numbers of the kernel, and ``"alpha"``, the noise.
        """
        return dict(_core.process_parameters(self._fitted_model()))
