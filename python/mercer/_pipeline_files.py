"""Pipelines as model files: an encoder and a scaler before an estimator of this package.

A file stores a map (value - shift) · factor of each column, and how columns of a table become
numbers. The command line and the Rust library apply both to new rows, as the pipeline does.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._base import Estimator
from mercer._files import write
from mercer._svc_search import SVCSearch
from mercer._svr_search import SVRSearch
from mercer._table_encoder import TableEncoder
from mercer._table_notes import damaged, decoded_column, encoded_column, stored_levels, table_note


def save(estimator: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator or pipeline to one model file, atomically.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted estimator of this package, of a search the best one, or a pipeline of an optional
        :class:`mercer.TableEncoder`, an optional ``StandardScaler`` or ``MinMaxScaler`` of
        scikit-learn, and such an estimator. An encoder may have any columns but dates.
    path : str or path-like
        The file, conventionally with the extension ``.mercer``. It is read by :func:`mercer.load`,
        by the command line and by the Rust library, whose predictions for the rows that the
        pipeline takes are those of the pipeline.

    Raises
    ------
    TypeError
        If a step cannot be stored: pickle the pipeline instead.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), mercer.SVC()).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.mercer")
    ...     mercer.save(pipeline, path)
    ...     again = mercer.load(path)
    >>> bool((again.predict(X) == pipeline.predict(X)).all())
    True
    """
    if not isinstance(estimator, Pipeline):
        _estimator(estimator).save(path)
        return
    check_is_fitted(estimator)
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    model = _estimator(steps.pop() if steps else None)
    encoder = steps.pop(0) if steps and isinstance(steps[0], TableEncoder) else None
    scaler = steps.pop(0) if steps else None
    if steps:
        raise _refused(steps[0], "a model file holds an encoder, a scaler and an estimator")
    _write(model, encoder, _scaling(scaler), _names(estimator), path)


def _estimator(given: Any) -> Estimator:
    if isinstance(given, (SVCSearch, SVRSearch)):
        check_is_fitted(given, "best_estimator_")
        return given.best_estimator_
    if not isinstance(given, Estimator):
        raise _refused(given, "the last step must be an estimator of mercer with a model file")
    return given


def _refused(step: Any, why: str) -> TypeError:
    name = type(step).__name__
    return TypeError(f"{name} cannot be stored in a model file: {why}; pickle the pipeline instead")


def _names(pipeline: Pipeline) -> list[str] | None:
    first = next((step for _, step in pipeline.steps if step not in (None, "passthrough")), None)
    names = getattr(first, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _scaling(scaler: Any) -> tuple | None:
    """The kind, shift and factor of each column."""
    if scaler is None:
        return None
    if type(scaler) is MinMaxScaler and not scaler.clip:
        # A constant column has a factor, too, so that none is 0.
        return "minmax", (-scaler.min_ / scaler.scale_).tolist(), scaler.scale_.tolist()
    if type(scaler) is not StandardScaler:
        why = "the steps before the estimator may be a TableEncoder, and a StandardScaler or a "
        raise _refused(scaler, why + "MinMaxScaler without clip")
    columns = scaler.n_features_in_
    shift = scaler.mean_ if scaler.with_mean else np.zeros(columns)
    factor = 1 / scaler.scale_ if scaler.with_std else np.ones(columns)
    return "standard", shift.tolist(), factor.tolist()


def _write(
    estimator: Estimator,
    encoder: TableEncoder | None,
    scaling: tuple | None,
    names: list[str] | None,
    path: str | os.PathLike,
) -> None:
    check_is_fitted(estimator)
    model, notes = estimator._model, {}
    columns = getattr(estimator, "n_features_in_", None)
    if scaling is not None:
        if model.scaling is not None or columns != len(scaling[1]) or model.shape[1] != columns:
            raise ValueError(
                "the scaling of a model file is that of the columns of a table of numbers, and "
                "this model has another one already, or a kernel on other samples"
            )
        model = model.with_scaling(*scaling)
    if encoder is not None:
        notes = encoder_notes(encoder, names is not None)
        names = None if names is None else encoder.get_feature_names_out().tolist()
    write(estimator, model, names, notes, path)


def encoder_notes(encoder: TableEncoder, named: bool) -> dict[str, object]:
    """Return the notes of an encoder, as the command line reads them; refuse what it cannot."""
    params = {"dates": encoder.dates, "max_categories": int(encoder.max_categories)}
    kinds = [encoding.kind for encoding in encoder.encodings_]
    levels = [stored_levels(one.levels, one.name) or None for one in encoder.encodings_]
    return {
        "table": table_note([encoded_column(encoding) for encoding in encoder.encodings_]),
        "encoder": params | {"named": named, "kinds": kinds, "levels": levels},
    }


def restored_encoder(notes: dict, width: int) -> TableEncoder:
    """Return the encoder that a file describes, for a model of `width` columns."""
    try:
        params = notes["encoder"]
        encoder = TableEncoder(dates=params["dates"], max_categories=params["max_categories"])
        columns = notes["table"]["encoding"]["columns"]
        # Files of earlier versions have neither kinds nor levels.
        kinds, levels = (params.get(key) or [None] * len(columns) for key in ("kinds", "levels"))
        encoder.encodings_ = [
            decoded_column(*one) for one in zip(columns, kinds, levels, strict=True)
        ]
        found = len(encoder.get_feature_names_out())
    except (KeyError, TypeError, IndexError, AttributeError, ValueError):
        raise damaged() from None
    if found != width:
        raise _core.FormatError(
            f"the table of the model file has {found} encoded columns, but its model {width}"
        )
    encoder.n_features_in_ = len(encoder.encodings_)
    if params.get("named"):
        names = [one.name for one in encoder.encodings_]
        encoder.feature_names_in_ = np.asarray(names, dtype=object)
    return encoder
