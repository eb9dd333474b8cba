"""Estimators from model files, also those of LIBSVM."""

from __future__ import annotations

import json
import os
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from sklearn.pipeline import Pipeline

from mercer import _core
from mercer._arrays import Samples, Table
from mercer._chi2_sampler import AdditiveChi2Sampler
from mercer._count_sketch import PolynomialCountSketch
from mercer._detector import KernelPCADetector
from mercer._gaussian_process import GaussianProcessRegressor
from mercer._kernel_kmeans import KernelKMeans
from mercer._kernel_pca import KernelPCA
from mercer._kernel_repair import KernelRepair
from mercer._kernel_ridge import KernelRidge
from mercer._kernel_ridge_classifier import KernelRidgeClassifier
from mercer._kernel_ridge_cv import KernelRidgeCV
from mercer._nu_svc import NuSVC
from mercer._nystroem import Nystroem
from mercer._one_class_svm import OneClassSVM
from mercer._params import ParameterError, is_integer
from mercer._pca import PCA
from mercer._pipeline_files import restored_encoder
from mercer._rbf_sampler import RBFSampler
from mercer._reports import warn
from mercer._run import RUN_PARAMETERS
from mercer._svc import SVC
from mercer._svr import SVR, NuSVR
from mercer._table_notes import restore_codes
from mercer.kernels import from_spec
from mercer.reports import Report

Machine: TypeAlias = SVC | NuSVC | SVR | NuSVR | OneClassSVM


class Loaded(Protocol):
    """A fitted estimator as a type checker sees it, whichever class a file holds.

    All have ``save``, ``get_params`` and a report. Which of ``predict``, ``transform``,
    ``decision_function`` and ``score_samples`` exist depends on the class: kernel PCA has no
    ``predict``, a regression no ``transform``.
    """

    n_features_in_: int

    @property
    def report_(self) -> Report: ...
    def save(self, path: str | os.PathLike) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def predict(self, X: Samples) -> np.ndarray: ...
    def transform(self, X: Samples) -> Table: ...
    def decision_function(self, X: Samples) -> np.ndarray: ...
    def score_samples(self, X: Samples) -> np.ndarray: ...


MACHINES = {kind._task: kind for kind in (SVC, NuSVC, SVR, NuSVR, OneClassSVM)}
_KINDS = {
    "pca": PCA,
    "kernel_pca": KernelPCA,
    "kernel_kmeans": KernelKMeans,
    "kernel_pca_detector": KernelPCADetector,
    "kernel_repair": KernelRepair,
}
_SAMPLERS = {"poly": PolynomialCountSketch, "additive_chi2": AdditiveChi2Sampler}


def load(path: str | os.PathLike) -> Loaded:
    """Read a fitted estimator from a model file.

    Parameters
    ----------
    path : str or path-like
        A file written by :func:`mercer.save`, by the method ``save`` of an estimator or by the
        command line.

    Returns
    -------
    estimator : object
        The fitted estimator, of the class that was saved; its projections or predictions are
        bit-identical. Warnings of the fit are in ``report_["notes"]``. How work is run (`n_jobs`,
        `memory_budget`, `progress`) is not stored in a file. A model that the command line fitted
        with scaling, or that was saved with a scaler before it, scales new samples first: see the
        attribute ``scaling_``. One that was saved with a :class:`TableEncoder` comes as a pipeline
        of the two, without ``save`` and ``report_``, which its last step has. A regression of the
        command line becomes a :class:`KernelRidge`, regardless of how its parameters were chosen,
        or a :class:`KernelRidgeClassifier` if it has classes.

    Raises
    ------
    OSError
        If the file cannot be read.
    FormatError
        If the file is not a model file, is damaged, or is of a newer version.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> X = [[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]]
    >>> pca = mercer.PCA(n_components=1).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.mercer")
    ...     pca.save(path)
    ...     again = mercer.load(path)
    >>> bool((again.transform(X) == pca.transform(X)).all())
    True
    """
    model = _core.load(os.fspath(path))
    estimator = restored(_kind(model), model)
    notes = json.loads(model.notes)
    if "encoder" not in notes:
        return cast(Loaded, estimator)
    encoder = restored_encoder(notes, model.shape[1])
    # The encoder returns arrays, which have no names.
    vars(estimator).pop("feature_names_in_", None)
    return cast(Loaded, Pipeline([("encode", encoder), ("model", estimator)]))


def restored(kind: type, model: _core.Model) -> Any:
    """Return a fitted estimator of this class with the model."""
    estimator = kind(**_params(kind, model))
    estimator._set_model(model)
    estimator.n_features_in_ = model.shape[1]
    if model.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
    restore_codes(estimator, json.loads(model.notes))
    return estimator


def _kind(model: _core.Model) -> type:
    """The class that the model belongs to."""
    if model.estimator == "svm":
        return MACHINES[_core.svm_facts(model)["task"]]
    if model.estimator == "kernel_features":
        family = _core.features_facts(model)["kernel"].split("(")[0]
        return _SAMPLERS.get(family, RBFSampler)
    if "directions" in json.loads(model.params):
        return Nystroem
    if model.estimator in _KINDS:
        return _KINDS[model.estimator]
    remarks, saved = json.loads(_core.remarks(model)), json.loads(model.notes).get("estimator")
    # Several labels per sample are, to a file, a regression without classes.
    if remarks["classes"] is not None or saved == KernelRidgeClassifier.__name__:
        return KernelRidgeClassifier
    if saved == GaussianProcessRegressor.__name__:
        return GaussianProcessRegressor
    searched = saved == KernelRidgeCV.__name__ and remarks["selection"] is not None
    return KernelRidgeCV if searched else KernelRidge


def _params(kind: type, model: _core.Model) -> dict[str, object]:
    """The parameters of the estimator that was saved, or equivalent ones."""
    params = kind._params_from_file(json.loads(model.params), model)
    # The extension module has checked the types of these.
    noted = json.loads(model.notes).get("python", {})
    known = set(kind._get_param_names()).difference(RUN_PARAMETERS)
    return params | {name: _value(value) for name, value in noted.items() if name in known}


def _value(value: object) -> object:
    if isinstance(value, list):
        return [_value(part) for part in value]
    if isinstance(value, dict) and isinstance(value.get("spec"), str):
        return from_spec(value["spec"])
    if isinstance(value, dict) and isinstance(value.get("items"), list):
        return {_value(key): _value(part) for key, part in value["items"]}
    return value


def read_libsvm_model(path: str | os.PathLike, n_features: int | None = None) -> Machine:
    """Read a fitted support vector machine from a LIBSVM model file.

    Such a file does not store which training samples the support vectors were, nor the number of
    training samples: ``support_`` numbers the support vectors, and ``shape_fit_`` is their shape.

    Parameters
    ----------
    path : str or path-like
        A file written by LIBSVM's ``svm-train`` or by the method ``to_libsvm`` of an estimator.
    n_features : int, optional
        Columns of new samples, which the file does not store: by default, up to the last one that
        is not zero in some support vector.

    Returns
    -------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        The fitted estimator. Its classes are sorted integers.

    Raises
    ------
    OSError
        If the file cannot be read.
    FormatError
        If the file is not a LIBSVM model file.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> X, y = [[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]], [1, 2, 1]
    >>> model = mercer.SVC(gamma=0.5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "svm.model")
    ...     model.to_libsvm(path)
    ...     again = mercer.read_libsvm_model(path)
    >>> again.predict(X)
    array([1, 2, 1])
    """
    if n_features is not None and not (is_integer(n_features) and n_features > 0):
        raise ParameterError(f"n_features must be a positive integer or None, not {n_features!r}")
    model = _core.read_libsvm(os.fspath(path), None if n_features is None else int(n_features))
    facts = _core.svm_facts(model)
    estimator = restored(MACHINES[facts["task"]], model)
    if facts["classes"] is not None:
        estimator.classes_ = np.array([int(name) for name in facts["classes"]])
    for note in estimator.report_["notes"]:
        warn(note)
    return estimator
