"""What ``mercer … --dask ADDRESS`` runs: a fit on a cluster from the flags of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from distributed import Client

import mercer
import mercer.dask as cluster
from mercer import _core
from mercer._kernel_purpose import purpose_of
from mercer.dask._scaled import scaled

_GROUPS = (
    "--scale: groups of columns are not scaled on a cluster: scale the table before, and give none"
)


def main(words: Sequence[str] | None = None) -> int:
    """Fit as the flags of a command line say; returns the exit code."""
    flags = _parser().parse_args(words)
    try:
        _run(flags)
    except (ValueError, TypeError, MemoryError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: nothing was written", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mercer",
        allow_abbrev=False,
        description="Fits on a Dask cluster take the flags below; leave others out.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    shared = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    shared.add_argument("table")
    shared.add_argument("--dask", required=True, metavar="ADDRESS")
    shared.add_argument("--columns")
    shared.add_argument("--kernel")
    shared.add_argument("--scale", choices=["none", "standard", "minmax"])
    shared.add_argument("--landmarks", required=True)
    shared.add_argument("--landmark-method", default="pivoted-cholesky")
    shared.add_argument("--landmark-tolerance", type=float, default=0.01)
    shared.add_argument("--seed", type=int, default=0)
    shared.add_argument("-m", "--model", required=True)
    shared.add_argument("-o", "--output", "--out")
    shared.add_argument("-q", "--quiet", action="store_true")
    for verb in ("kpca", "krr", "kmeans", "outliers"):
        own = verbs.add_parser(verb, parents=[shared], allow_abbrev=False)
        if verb in ("kpca", "outliers"):
            own.add_argument("-k", "--components", type=_count)
        if verb == "kmeans":
            own.add_argument("-k", "--clusters", type=int, required=True)
        if verb == "krr":
            own.add_argument("--target", required=True)
            own.add_argument("--alpha")
            own.add_argument("--gcv", action="store_true")
    return parser


def _count(text: str) -> float:
    return float(text) if "." in text else int(text)


def _run(flags: argparse.Namespace) -> None:
    table = mercer.scan(
        flags.table,
        columns=_columns(flags.columns),
        target=_column(flags.target) if flags.verb == "krr" else None,
    )
    with Client(flags.dask) as client:
        if not flags.quiet and client.dashboard_link:
            print(f"dashboard: {client.dashboard_link}", file=sys.stderr)
        estimator, kind, scaling = _estimator(flags, client), _scaling(flags), None
        if kind != "none":
            table, scaling = scaled(client, estimator._estimator(), table, kind)
        found = estimator.fit(table)
    local = found.to_local()
    if scaling is not None:
        local._model = local._model.with_scaling(*scaling)
    local.save(flags.model)
    if flags.output is not None:
        _results(flags, local).write(flags.output)
    if not flags.quiet:
        reported = found.report_["dask"]
        rows = local.report_["landmarks"]["rows"]
        print(
            f"{rows} rows on {reported['workers']} workers in {reported['passes']} passes; "
            f"{reported['retries']} tasks were restarted; the model is in {flags.model}"
        )


def _scaling(flags: argparse.Namespace) -> str:
    """The scaling that is asked for, or the one that suits the kernel, as without a cluster."""
    kernel = _kernel(flags)
    if flags.scale != "none" and purpose_of(kernel).groups:
        raise ValueError(_GROUPS)
    return flags.scale or _core.usual_scaling(kernel, flags.verb == "kpca")


def _kernel(flags: argparse.Namespace) -> str:
    # As without a cluster: a search compares widths, other fits take that of the data.
    return flags.kernel or ("rbf" if flags.verb == "krr" else "rbf(gamma=scale)")


def _results(flags: argparse.Namespace, local: Any) -> Any:
    """The results for the rows of the table, which this machine reads."""
    features = _columns(flags.columns)
    if features is None and hasattr(local, "feature_names_in_"):
        features = list(local.feature_names_in_)
    rows = mercer.scan(flags.table, columns=features)
    return local.transform(rows) if flags.verb == "kpca" else local.predict(rows)


def _columns(text: str | None) -> list[str | int] | None:
    """The columns of a list such as ``age,3``, whose numbers count from 1."""
    return None if text is None else [_column(one) for one in text.split(",")]


def _column(text: str) -> str | int:
    return int(text) - 1 if text.isdecimal() else text


def _estimator(flags: argparse.Namespace, client: Client) -> Any:
    options: dict[str, Any] = {
        "kernel": _kernel(flags),
        "landmarks": flags.landmarks if flags.landmarks == "auto" else int(flags.landmarks),
        "landmark_method": flags.landmark_method.replace("-", "_"),
        "landmark_tol": flags.landmark_tolerance,
        "random_state": flags.seed,
        "progress": not flags.quiet,
    }
    if flags.verb == "kpca":
        return cluster.KernelPCA(client, n_components=flags.components or 2, **options)
    if flags.verb == "outliers":
        return cluster.KernelPCADetector(client, n_components=flags.components, **options)
    if flags.verb == "kmeans":
        return cluster.KernelKMeans(client, n_clusters=flags.clusters, **options)
    if flags.alpha is not None:
        return cluster.KernelRidge(client, alpha=float(flags.alpha), fit_intercept=True, **options)
    cv = "gcv" if flags.gcv else None
    return cluster.KernelRidgeCV(client, cv=cv, fit_intercept=True, **options)


if __name__ == "__main__":
    sys.exit(main())
