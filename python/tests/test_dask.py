"""Fits on the workers of a Dask cluster: the bits of one machine, whatever happens to them."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import mercer

pytest.importorskip("distributed")
pytest.importorskip("dask.array")

import dask
import dask.array as da
from dask.distributed import Client
from dask_setup import OPTIONS, N, client, rows, same  # noqa: F401

import mercer.dask as md
from mercer.dask._parts import placed, planned

GROUP = 16_384


@pytest.mark.parametrize("chunks", [(20_000,) * 3 + (10_000,), (700,) * 100, (N,)])
def test_kernel_pca_is_that_of_one_machine(client, rows, chunks):
    X, _, _ = rows
    whole = mercer.KernelPCA(3, **OPTIONS).fit(X)
    found = md.KernelPCA(n_components=3, **OPTIONS).fit(da.from_array(X, chunks=(chunks, 4)))
    local = found.to_local()
    same(local, whole, "eigenvalues_", "landmarks_", "explained_variance_ratio_")
    assert np.array_equal(local.transform(X[:100]), whole.transform(X[:100]))
    assert local.report_["landmarks"] == whole.report_["landmarks"]
    reported = found.report_["dask"]
    assert (reported["workers"], reported["retries"], reported["passes"]) == (2, 0, 2)
    assert isinstance(local, mercer.KernelPCA)
    assert "dask" not in local.report_


def test_a_fit_on_one_thread_does_not_wait_for_a_worker_in_its_process(rows, monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as own:
        blocks = da.from_array(rows[0][:5000], chunks=(1000, 4))
        found = md.KernelPCA(own, n_components=2, **OPTIONS).fit(blocks)
        same(found.to_local(), mercer.KernelPCA(2, **OPTIONS).fit(rows[0][:5000]), "eigenvalues_")


def test_regression_with_weights_is_that_of_one_machine(client, rows):
    X, y, w = rows
    whole = mercer.KernelRidge(0.1, **OPTIONS).fit(X, y, sample_weight=w)
    chunks = {"chunks": 15_000}
    arrays = da.from_array(X, chunks=(15_000, 2)), da.from_array(y, **chunks)
    found = md.KernelRidge(alpha=0.1, **OPTIONS).fit(*arrays, da.from_array(w, **chunks))
    same(found.to_local(), whole, "dual_coef_", "intercept_")
    assert found.to_local().report_["landmarks"] == whole.report_["landmarks"]
    assert found.score(*arrays) > 0.8
    # Targets that are here.
    again = md.KernelRidge(alpha=0.1, **OPTIONS).fit(arrays[0], y, w)
    same(again.to_local(), whole, "dual_coef_")


@pytest.mark.parametrize("cv", ["gcv", None])
def test_the_search_is_that_of_one_machine(client, rows, cv):
    X, y, _ = (one[:40_000] for one in rows)
    options = OPTIONS | {"cv": cv, "gamma": None, "alphas": [0.01, 1.0]}
    whole = mercer.KernelRidgeCV(**options).fit(X, y)
    found = md.KernelRidgeCV(**options).fit(da.from_array(X, chunks=(9000, 4)), y)
    local = found.to_local()
    same(local, whole, "dual_coef_", "alpha_", "best_score_")
    assert local.report_["landmarks"] == whole.report_["landmarks"]


def test_classes_are_those_of_one_machine(client, rows):
    X, y, w = (one[:40_000] for one in rows)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-0.2, 0.2])]
    options = OPTIONS | {"class_weight": "balanced"}
    whole = mercer.KernelRidgeClassifier(**options).fit(mercer.scan([(X, labels, w)]))
    chunks = {"chunks": 11_000}
    arrays = [da.from_array(one, **chunks) for one in (labels, w)]
    X_blocks = da.from_array(X, chunks=(11_000, 4))
    found = md.KernelRidgeClassifier(**options).fit(X_blocks, *arrays)
    same(found.to_local(), whole, "dual_coef_", "classes_")
    predicted = found.predict(X_blocks)
    assert (predicted.dtype.kind, predicted.shape) == ("U", (40_000,))
    assert np.array_equal(predicted[:50].compute(), whole.predict(X[:50]))


def test_features_and_clusters_and_outliers_are_those_of_one_machine(client, rows):
    X, _, _ = (one[:40_000] for one in rows)
    blocks = da.from_array(X, chunks=(13_000, 4))
    options = {"kernel": "rbf", "gamma": 0.3}
    whole = mercer.Nystroem(n_components=30, **options).fit(X)
    found = md.Nystroem(n_components=30, **options).fit(blocks)
    assert found.to_local().error_ == whole.error_
    assert np.array_equal(found.transform(blocks)[:9].compute(), whole.transform(X[:9]))
    for score in ("reconstruction", "projections"):
        params = OPTIONS | {"n_components": 5, "criterion": score}
        whole = mercer.KernelPCADetector(**params).fit(X)
        found = md.KernelPCADetector(**params).fit(blocks)
        assert found.to_local().offset_ == whole.offset_
        assert np.array_equal(found.predict(blocks)[:99].compute(), whole.predict(X[:99]))
    whole = mercer.KernelKMeans(4, random_state=0, **OPTIONS).fit(X)
    found = md.KernelKMeans(n_clusters=4, random_state=0, **OPTIONS).fit(blocks)
    same(found.to_local(), whole, "labels_", "inertia_", "n_iter_")


def test_single_precision_and_landmarks_of_ones_own(client, rows):
    X, _, _ = rows
    X = X[:40_000].astype(np.float32)
    blocks = da.from_array(X, chunks=(10_000, 4))
    options = OPTIONS | {"landmarks": X[:30]}
    whole = mercer.KernelPCA(2, **options).fit(X)
    found = md.KernelPCA(n_components=2, **options).fit(blocks)
    same(found.to_local(), whole, "eigenvalues_")
    lazy = found.transform(blocks)
    assert (lazy.dtype, lazy.chunks) == (np.float32, ((10_000,) * 4, (2,)))


def test_frames_and_delayed_blocks_and_files(client, rows, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, y, _ = (one[:40_000] for one in rows)
    whole = mercer.KernelRidge(0.1, **OPTIONS).fit(X, y)
    frame = dd.from_pandas(pandas.DataFrame(X, columns=list("abcd")), npartitions=3)
    series = dd.from_pandas(pandas.Series(y), npartitions=3)
    found = md.KernelRidge(alpha=0.1, **OPTIONS).fit(frame, series)
    same(found.to_local(), whole, "dual_coef_")
    assert list(found.feature_names_in_) == list("abcd")
    assert np.array_equal(found.predict(frame).compute(), whole.predict(X))
    blocks = [
        dask.delayed((X[i : i + 15_000], y[i : i + 15_000])) for i in range(0, 40_000, 15_000)
    ]
    found = md.KernelRidge(alpha=0.1, **OPTIONS).fit(blocks)
    same(found.to_local(), whole, "dual_coef_")
    lazy = found.predict([dask.delayed(X[:5])])
    assert np.array_equal(lazy[0].compute(), whole.predict(X[:5]))
    for i in range(2):
        table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y)[i * 20_000 : (i + 1) * 20_000]
        table.to_parquet(tmp_path / f"{i}.parquet")
    found = md.KernelRidge(alpha=0.1, **OPTIONS).fit(mercer.scan(tmp_path, target="y"))
    same(found.to_local(), whole, "dual_coef_")


def test_what_cannot_be_is_refused(client, rows):
    X, y, _ = rows
    blocks = da.from_array(X, chunks=(20_000, 4))
    with pytest.raises(ValueError, match="landmarks"):
        md.KernelPCA(n_components=2, kernel="rbf").fit(blocks)
    with pytest.raises(TypeError, match="no parameter 'gama'"):
        md.KernelPCA(gama=2)
    with pytest.raises(ValueError, match="inconsistent"):
        md.KernelRidge(**OPTIONS).fit(blocks, y[:-1])
    with pytest.raises(ValueError, match="not ndarray"):
        md.KernelRidge(**OPTIONS).fit(X, y)
    with pytest.raises(AttributeError, match="fit first"):
        md.KernelRidge(**OPTIONS).predict(blocks)


def test_conjugate_gradients_are_refused_by_name(client, rows):
    X, y, _ = rows
    blocks, targets = da.from_array(X, chunks=(20_000, 4)), da.from_array(y, chunks=20_000)
    with pytest.raises(
        ValueError, match="solver: conjugate gradients need the rows on one machine"
    ):
        md.KernelRidge(solver="cg", **OPTIONS).fit(blocks, targets)


def test_estimators_are_cloned_and_pickled(client, rows):
    X, y, _ = (one[:5000] for one in rows)
    model = md.KernelRidge(client, alpha=0.5, **OPTIONS)
    copy = clone(model)
    assert copy.get_params()["alpha"] == 0.5
    assert copy.client is client
    model.set_params(alpha=0.1).fit(da.from_array(X, chunks=(2000, 4)), y)
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.predict(X), model.predict(X))
    assert back.client is None


def test_a_search_of_scikit_learn_runs_on_the_cluster(client, rows):
    joblib = pytest.importorskip("joblib")
    from sklearn.model_selection import GridSearchCV

    X, y, _ = (one[:400] for one in rows)
    grid = {"alpha": [0.01, 1.0], "gamma": [0.1, 1.0]}
    search = GridSearchCV(mercer.KernelRidge(kernel="rbf"), grid, cv=3, n_jobs=2)
    here = clone(search).set_params(n_jobs=1).fit(X, y)
    with joblib.parallel_backend("dask"):
        there = search.fit(X, y)
    assert there.best_params_ == here.best_params_
    assert there.best_score_ == here.best_score_


def test_parts_begin_where_groups_do():
    for lengths, size in [([100_000] * 3, 131_072), ([700] * 100, 16_384), ([5], 16_384)]:
        parts = planned(lengths, size)
        assert sum(part.rows for part in parts) == sum(lengths)
        assert all(part.first % GROUP == 0 and 0 < part.rows <= size for part in parts)
        for part, after in itertools.pairwise(parts):
            assert part.first + part.rows == after.first
        taken = np.zeros(len(lengths), int)
        for part in parts:
            for place, start, stop in part.pieces:
                assert start == taken[place]
                taken[place] = stop
        assert taken.tolist() == lengths


def test_parts_lie_where_their_rows_are():
    parts = planned([GROUP] * 8, GROUP)
    near = dict.fromkeys(range(4), "a") | dict.fromkeys(range(4, 8), "ba")
    assert placed(parts, near, {"a": 1, "b": 1}) == ["a"] * 4 + ["b"] * 4
    # A worker that holds all rows reads its share, and the scheduler finds the others a place.
    alone = placed(parts, dict.fromkeys(range(8), "a"), {"a": 1, "b": 1})
    assert alone == ["a"] * 4 + [None] * 4
    assert placed(parts, dict.fromkeys(range(8), "c"), {"a": 1}) == [None] * 8


def test_machines_of_cells_and_searches_are_those_of_one_machine(client, rows):
    X, y, _ = (one[:1500] for one in rows)
    labels = (y > 0).astype(int)
    options = {"kernel": "rbf", "gamma": 0.5, "cells": 400}
    whole = mercer.SVC(C=2.0, **options).fit(X, labels)
    found = md.SVC(C=2.0, **options).fit(da.from_array(X, chunks=(500, 4)), labels)
    same(found.to_local(), whole, "support_", "dual_coef_", "intercept_")
    assert np.array_equal(found.decision_function(X), whole.decision_function(X))
    assert found.report_["dask"]["tasks"] > 1
    whole = mercer.SVR(epsilon=0.05, **options).fit(X, y)
    found = md.SVR(epsilon=0.05, **options).fit(X, y)
    assert np.array_equal(found.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="set cells="):
        md.SVC().fit(X, labels)
    grid = {"Cs": [0.1, 1.0, 10.0], "gammas": [0.1, 1.0], "cv": 3}
    whole = mercer.SVCSearch(**grid).fit(X[:400], labels[:400])
    found = md.SVCSearch(**grid).fit(X[:400], labels[:400])
    assert found.best_params_ == whole.best_params_
    scores = [one.cv_results_["mean_test_score"] for one in (found, whole)]
    assert np.allclose(*scores, atol=0.01)
    assert found.report_["dask"]["tasks"] == 6
