"""What is fitted on Dask, and what works with it: files, blocks, pipelines, wrappers, progress."""

import numpy as np
import pytest

import mercer

pytest.importorskip("distributed")
pytest.importorskip("dask.array")

import dask
import dask.array as da
from dask_setup import OPTIONS, client, rows, same  # noqa: F401
from distributed import progress
from sklearn.pipeline import make_pipeline

import mercer.dask as md


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    pandas = pytest.importorskip("pandas")
    X, y, _ = (one[:40_000] for one in rows)
    folder = tmp_path_factory.mktemp("table")
    for i in range(2):
        part = slice(i * 20_000, (i + 1) * 20_000)
        table = pandas.DataFrame(X[part], columns=list("abcd")).assign(y=y[part])
        table.to_parquet(folder / f"{i}.parquet")
    return folder


def test_a_directory_of_files(client, rows, folder):
    X, y, _ = (one[:40_000] for one in rows)
    whole = mercer.KernelRidge(0.1, **OPTIONS).fit(X, y)
    table = mercer.scan(folder, target="y")
    found = md.KernelRidge(alpha=0.1, **OPTIONS).fit(table)
    same(found.to_local(), whole, "dual_coef_")
    assert list(found.feature_names_in_) == list("abcd")
    lazy = found.predict(table)
    assert isinstance(lazy, da.Array)
    assert (lazy.chunks, lazy.dtype) == (((20_000, 20_000),), np.float64)
    assert np.array_equal(lazy.compute(), whole.predict(X))
    # A path alone: all of its columns are features.
    features = md.KernelPCA(n_components=2, **OPTIONS).fit(str(folder))
    assert features.transform(folder / "*.parquet").shape == (40_000, 2)
    with pytest.raises(ValueError, match=r"name their columns in mercer\.scan"):
        md.KernelRidge(alpha=0.1, **OPTIONS).fit(str(folder), y)


def test_text_files_have_chunks_of_unknown_sizes(client, rows, tmp_path):
    X = rows[0][:3000]
    for i in range(2):
        part = X[i * 1500 : (i + 1) * 1500]
        np.savetxt(tmp_path / f"{i}.csv", part, delimiter=",", header="a,b,c,d", comments="")
    found = md.KernelPCA(n_components=2, **OPTIONS).fit(tmp_path)
    lazy = found.transform(tmp_path)
    assert np.isnan(lazy.shape[0])
    assert lazy.shape[1] == 2
    expected = np.concatenate(list(found.to_local().transform(mercer.scan(tmp_path))))
    assert np.array_equal(lazy.compute(), expected)


def test_machines_and_searches_take_blocks_and_files(client, rows, tmp_path):
    X, y, _ = (one[:1200] for one in rows)
    labels = np.where(y > 0, "yes", "no")
    options = {"kernel": "rbf", "gamma": 0.5, "cells": 400}
    whole = mercer.SVC(**options).fit(X, labels)
    blocks = [dask.delayed((X[i : i + 500], labels[i : i + 500])) for i in range(0, 1200, 500)]
    same(md.SVC(**options).fit(blocks).to_local(), whole, "support_", "dual_coef_")
    arrays = da.from_array(X, chunks=(500, 4)), da.from_array(labels, chunks=500)
    found = md.SVC(**options).fit(*arrays)
    same(found.to_local(), whole, "support_", "dual_coef_")
    lazy = found.predict(arrays[0])
    assert (lazy.dtype, lazy.chunks) == (labels.dtype, ((500, 500, 200),))
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    table = mercer.scan(tmp_path / "rows.npy", target=4)
    machine = md.SVR(**options).fit(table)
    assert np.array_equal(machine.predict(X), mercer.SVR(**options).fit(X, y).predict(X))
    grid = {"Cs": [1.0], "gammas": [0.1, 1.0], "cv": 2}
    search = md.SVCSearch(**grid).fit(blocks)
    assert search.best_params_ == mercer.SVCSearch(**grid).fit(X, labels).best_params_


def test_pipelines(client, rows):
    X, y, _ = (one[:20_000] for one in rows)
    arrays = da.from_array(X, chunks=(7000, 4)), da.from_array(y, chunks=7000)
    pca = {"n_components": 3, "kernel": "rbf", "gamma": 0.3, "landmarks": 40}
    ridge = {"alpha": 0.1, "kernel": "rbf", "gamma": 20.0, "landmarks": 30}
    there = make_pipeline(md.KernelPCA(**pca), md.KernelRidge(**ridge)).fit(*arrays)
    here = make_pipeline(mercer.KernelPCA(**pca), mercer.KernelRidge(**ridge)).fit(X, y)
    lazy = there.predict(arrays[0])
    assert isinstance(lazy, da.Array)
    assert np.array_equal(lazy.compute(), here.predict(X))


def test_wrappers_of_dask_ml(client, rows):
    wrappers = pytest.importorskip("dask_ml.wrappers")
    scaler = pytest.importorskip("dask_ml.preprocessing").StandardScaler
    X, y, _ = (one[:20_000] for one in rows)
    arrays = da.from_array(X, chunks=(10_000, 4)), da.from_array(y, chunks=10_000)
    whole = mercer.KernelRidge(0.1, **OPTIONS).fit(X, y)
    after = wrappers.ParallelPostFit(md.KernelRidge(alpha=0.1, **OPTIONS)).fit(*arrays)
    assert np.array_equal(after.predict(arrays[0]).compute(), whole.predict(X))
    local = wrappers.ParallelPostFit(mercer.KernelPCA(2, **OPTIONS)).fit(X)
    expected = mercer.KernelPCA(2, **OPTIONS).fit(X).transform(X)
    assert np.array_equal(local.transform(arrays[0]).compute(), expected)
    options = OPTIONS | {"landmarks": X[:40]}
    steps = wrappers.Incremental(mercer.KernelRidge(0.1, **options), shuffle_blocks=False)
    found = steps.fit(*arrays).estimator_
    assert np.allclose(
        found.predict(X[:9]), mercer.KernelRidge(0.1, **options).fit(X, y).predict(X[:9])
    )
    scaled = make_pipeline(scaler(), md.KernelPCA(n_components=2, **OPTIONS)).fit(arrays[0])
    assert scaled.transform(arrays[0]).compute().shape == (20_000, 2)


def test_progress_of_dask_and_ours(client, rows, capsys):
    blocks = da.from_array(rows[0], chunks=(20_000, 4))
    model = md.KernelPCA(n_components=2, progress=progress, **OPTIONS).fit(blocks)
    assert "100% Completed" in capsys.readouterr().out
    assert model.to_local().progress is False
    steps = []
    md.KernelPCA(n_components=2, progress=steps.append, **OPTIONS).fit(blocks)
    assert steps[-1].done == steps[-1].total


def test_the_dashboard_is_linked(rows):
    from dask.distributed import Client

    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as one:
        model = md.KernelPCA(one, n_components=2, **OPTIONS)
        link = model.fit(da.from_array(rows[0][:2000], chunks=(1000, 4))).report_["dask"][
            "dashboard"
        ]
        assert link == one.dashboard_link


@pytest.fixture(scope="module")
def table(rows, tmp_path_factory):
    X, y, _ = (one[:20_000] for one in rows)
    path = tmp_path_factory.mktemp("text") / "rows.csv"
    cells = np.column_stack([X * [1, 10, 100, 1000], y])
    np.savetxt(path, cells, delimiter=",", header="a,b,c,d,y", comments="", fmt="%.17g")
    return path, cells


def run(words):
    from mercer.dask.__main__ import main

    return main([str(word) for word in words])


def test_the_command_line_hands_its_words_on(client, rows, table, tmp_path, capsys):
    path, cells = table
    X = cells[:, :4]
    model, results = tmp_path / "model.mercer", tmp_path / "out.npy"
    shared = ["--landmarks", 30, "--dask", client.scheduler.address, "--model", model, "--quiet"]
    words = [path, "--columns", "a,b,c,d", "--scale", "none", *shared]
    spec = ["--kernel", "rbf(gamma=0.3)", "--output", results]
    assert run(["kpca", *words, "-k", 3, *spec]) == 0
    whole = mercer.KernelPCA(3, kernel="rbf", gamma=0.3, landmarks=30).fit(X)
    same(mercer.load(model), whole, "eigenvalues_")
    assert np.array_equal(np.load(results), whole.transform(X))
    with pytest.raises(SystemExit):
        run(["kpca", *words, "--plot", "map.svg"])
    assert run(["kpca", path, *shared, "--kernel", "columns(a: rbf) + columns(b: rbf)"]) == 1
    assert "groups of columns are not scaled" in capsys.readouterr().err


def test_the_command_line_scales_columns(client, table, tmp_path):
    path, cells = table
    X, y = cells[:, :4], cells[:, 4]
    model, results = tmp_path / "model.mercer", tmp_path / "out.npy"
    shared = ["--landmarks", 30, "--dask", client.scheduler.address, "--model", model, "--quiet"]
    for scale in (["--scale", "minmax"], []):
        words = [path, "--columns", "a,b,c,d", *shared, *scale, "--output", results]
        assert run(["kpca", *words, "-k", 3]) == 0
        found = mercer.load(model)
        scaling = found.scaling_
        assert scaling["kind"] == (scale or ["", "standard"])[1]
        if scale:
            low, high = X.min(axis=0), X.max(axis=0)
            assert np.array_equal(scaling["shift"], low)
            assert np.allclose(scaling["factor"], 1 / (high - low), rtol=1e-14)
        else:
            assert np.allclose(scaling["shift"], X.mean(axis=0), rtol=0, atol=1e-12 * X.std())
            assert np.allclose(scaling["factor"], 1 / X.std(axis=0), rtol=1e-12)
        values = (X - scaling["shift"]) * scaling["factor"]
        whole = mercer.KernelPCA(3, kernel="rbf", gamma="scale", landmarks=30).fit(values)
        same(found, whole, "eigenvalues_")
        assert np.array_equal(np.load(results), whole.transform(values))
    assert run(["krr", *words, "--target", "y", "--alpha", 0.1]) == 0
    assert mercer.load(model).score(X, y) > 0.5
