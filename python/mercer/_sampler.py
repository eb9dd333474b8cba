"""What transformers to approximate features of a kernel have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _fit
from mercer._arrays import Samples, Table, as_contiguous, scaled, validate_rows
from mercer._base import Estimator
from mercer._samples import to_core
from mercer._stream import by_blocks, first_block, is_stream
from mercer.reports import Report


class Sampler(TransformerMixin, Estimator):
    """A transformer to features whose inner products approximate a kernel.

    Each has a method ``_settings(X)``, which checks the parameters and returns them as the
    extension module takes them.
    """

    report_: Report
    kernel_: str
    error_: dict[str, float] | None

    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the map: resolve its parameters, draw its random numbers, and measure its error.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. float32 and float64 are used as they are, in any memory order. Of a table in
            blocks (:func:`mercer.scan`), the first one is read, as by :meth:`partial_fit`.
        y : None
            Not used.

        Returns
        -------
        self : object
            The estimator itself.
        """
        self._fit(X)
        return self

    def partial_fit(self, X: Samples, y: object = None) -> Self:
        """Fit the map on the first block of samples; only check the columns of later ones.

        The map depends on the samples by their number of columns alone, apart from parameters that
        are chosen from the data, which the first block decides.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            A block of samples.
        y : None
            Not used.

        Returns
        -------
        self : object
            The estimator itself.
        """
        if not hasattr(self, "_model"):
            return self.fit(X)
        self._rows(X, reset=False, check_finite=True)
        return self

    @by_blocks
    def transform(self, X: Samples) -> Table:
        """Return the features of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The features, in the number type of X if that is float32 or float64.
        """
        check_is_fitted(self)
        return self._transform(self._model, self._rows(X, reset=False))

    def transform_blocks(self, blocks: Iterable[Samples]) -> Iterator[Table]:
        """Return the features of blocks of samples, one block after the other.

        Parameters
        ----------
        blocks : iterable of {array-like, sparse matrix} of shape (n_rows, n_features)
            Blocks of samples, each read when it is needed.

        Yields
        ------
        X_new : ndarray of shape (n_rows, n_components)
            The features of each block.
        """
        check_is_fitted(self)
        for block in blocks:
            yield self.transform(block)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @_fit.unchanged_on_error
    def _fit(self, X) -> None:
        X = self._rows(X, reset=True, check_finite=True)
        self._set_model(self._map_of(X))

    def _map_of(self, X) -> _core.Model:
        settings = self._settings(X)
        with _fit.run_of(self) as run:
            return _core.fit_features(_given(X), settings, run)

    def _settings(self, X) -> dict[str, object]:
        raise NotImplementedError

    def _set_model(self, model: _core.Model) -> None:
        self._model, self.report_ = model, json.loads(model.report)
        facts = _core.features_facts(model)
        self.kernel_, self.error_ = facts["kernel"], facts["error"]

    def _rows(self, X, *, reset: bool, check_finite: bool = False):
        X = first_block(X) if is_stream(X) else X
        return validate_rows(self, X, reset=reset, accept_sparse=True, check_finite=check_finite)

    def _transform(self, model: _core.Model, X) -> np.ndarray:
        X = scaled(model, X)
        out = np.empty((X.shape[0], model.shape[2]), dtype=X.dtype)
        with _fit.run_of(self) as run:
            _core.features(model, _given(X), out, run)
        return out


def _given(X) -> _core.Samples | np.ndarray:
    """Rows as the extension module takes them: dense ones in place."""
    return to_core(X, single=X.dtype == np.float32) if sparse.issparse(X) else as_contiguous(X)


def rule_or_number(gamma: object, X) -> float:
    """Return gamma as a number: ``"scale"`` is 1 / (n_features * X.var())."""
    if not isinstance(gamma, str):
        return float(gamma)
    text = _core.resolve("rbf(gamma=scale)", to_core(X, single=False))
    return float(text.split("=")[1].rstrip(")"))
