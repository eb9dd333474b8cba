"""Noisy digits restored: ``bench/denoising.py [--only NOISE] [--digits N] [--write]``.

Kernel PCA learns from clean digits of USPS; unseen digits are made noisy, projected on the first
components and brought back by each way to a pre-image. The tables have the mean squared error per
pixel, for PCA and each way, over the number of components. The setting is that of Mika and others
(1999): 300 digits of each class to learn from, 50 of each to restore, and a width that follows from
the training digits alone: γ = 1 / (2 · sum of the pixels' variances), one over the mean squared
distance. ``--write`` puts the tables into docs/denoising.md and draws docs/figures/denoising.png.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.data import stored  # noqa: E402

PAGE, PICTURE = page.DOCS / "denoising.md", page.DOCS / "figures/denoising.png"
COMPONENTS = (1, 4, 16, 32, 64, 100, 128, 256)
LEARNED, RESTORED = 300, 50  # digits of each class
SPREAD, SALT = 0.5, 0.4  # of Gaussian noise, and the share of pixels that become -1 or 1
WAYS = ("ridge", "fixed_point", "neighbors", "gradient")
SHOWN = range(10)  # classes in the picture, one digit each


@dataclass(frozen=True)
class Digits:
    """Digits to learn from, and digits to restore, before and after noise; all m × 256."""

    train: np.ndarray
    clean: np.ndarray
    noisy: dict[str, np.ndarray]


def chosen(y: np.ndarray, count: int, rng: np.random.RandomState) -> np.ndarray:
    """So many rows of each class, class after class."""
    return np.concatenate([rng.permutation(np.flatnonzero(y == c))[:count] for c in range(10)])


def gaussian(X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """X with normal noise on every pixel."""
    return X + SPREAD * rng.normal(size=X.shape)


def salt_and_pepper(X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """X with a share of the pixels black or white, by a coin's throw."""
    hit, white = rng.rand(*X.shape) < SALT, rng.rand(*X.shape) < 0.5
    return np.where(hit, np.where(white, 1.0, -1.0), X)


NOISES: dict[str, Callable[[np.ndarray, np.random.RandomState], np.ndarray]] = {
    "gaussian": gaussian,
    "salt-and-pepper": salt_and_pepper,
}


def digits(learned: int, restored: int) -> Digits | None:
    """The digits of a run, the same every time; None where the set is not there."""
    X, y = stored("usps.npz", "X_train"), stored("usps.npz", "y_train")
    if X is None:
        return None
    rng = np.random.RandomState(0)
    train = X[chosen(y, learned, rng)].astype(np.float64)
    X, y = stored("usps.npz", "X_test"), stored("usps.npz", "y_test")
    clean = X[chosen(y, restored, rng)].astype(np.float64)
    return Digits(train, clean, {name: make(clean, rng) for name, make in NOISES.items()})


def gamma_of(train: np.ndarray) -> float:
    """One over the mean squared distance between training digits."""
    return 1.0 / (2.0 * float(train.var(axis=0).sum()))


def by_pca(train: np.ndarray, count: int) -> Callable[[np.ndarray], np.ndarray]:
    """Restores by projection on principal components of the pixels."""
    model = PCA(count, svd_solver="full").fit(train)
    return lambda noisy: model.inverse_transform(model.transform(noisy))


def kernel_pca(train: np.ndarray, count: int) -> Any:
    """Kernel PCA with a map back whose penalty is chosen by leave-one-out."""
    import mercer

    model = mercer.KernelPCA(
        count, kernel="rbf", gamma=gamma_of(train), fit_inverse_transform=True, alpha="loo"
    )
    return model.fit(train)


def by_kernel_pca(model: Any, way: str) -> Callable[[np.ndarray], np.ndarray]:
    """Restores by projection in feature space and a pre-image."""
    return lambda noisy: model.inverse_transform(model.transform(noisy), method=way)


Restored = dict[tuple[str, str, int], np.ndarray]  # by noise, method and number of components


def restore(some: Digits, noises: list[str]) -> Restored:
    """Every noise restored by every method with every number of components."""
    found: Restored = {}
    for count in COMPONENTS:
        begun = time.perf_counter()
        model = kernel_pca(some.train, count)
        methods = {"PCA": by_pca(some.train, count)}
        methods |= {way: by_kernel_pca(model, way) for way in WAYS}
        for noise in noises:
            for name, method in methods.items():
                found[noise, name, count] = method(some.noisy[noise])
        spent = time.perf_counter() - begun
        print(f"{count} components: {spent:.0f} s", file=sys.stderr, flush=True)
    return found


def error(restored: np.ndarray, clean: np.ndarray) -> float:
    """The mean squared error per pixel."""
    return float(np.mean((restored - clean) ** 2))


def best(found: Restored, clean: np.ndarray, noise: str, name: str) -> int:
    """The number of components with which a method errs least."""
    return min(COMPONENTS, key=lambda count: error(found[noise, name, count], clean))


def least_of_pca(some: Digits, noise: str) -> str:
    """The least error of PCA over every number of components, and that number."""
    counts = range(1, some.train.shape[1] + 1)
    model = PCA(svd_solver="full").fit(some.train)
    scores, axes = model.transform(some.noisy[noise]), model.components_
    errors = [error(model.mean_ + scores[:, :c] @ axes[:c], some.clean) for c in counts]
    return f"{min(errors):.4f} ({counts[int(np.argmin(errors))]})"


def table(found: Restored, some: Digits, noise: str) -> str:
    """Errors of one noise, the least of each method in bold and again in the last column."""
    rows = []
    for name in ("PCA", *WAYS):
        at = best(found, some.clean, noise, name)
        errors = {count: error(found[noise, name, count], some.clean) for count in COMPONENTS}
        cells = [f"**{e:.4f}**" if count == at else f"{e:.4f}" for count, e in errors.items()]
        least = least_of_pca(some, noise) if name == "PCA" else f"{errors[at]:.4f} ({at})"
        rows.append([name.replace("_", " "), *cells, least])
    before = f"{noise}, {error(some.noisy[noise], some.clean):.4f} before"
    return page.table([before, *map(str, COMPONENTS), "least"], rows)


def draw(found: Restored, some: Digits) -> None:
    """One digit of each class: clean, then each noise as it is and as each method restores it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    per_class = len(some.clean) // 10
    places = [c * per_class for c in SHOWN]
    lines = [("clean", some.clean)]
    for noise in NOISES:
        lines.append((noise, some.noisy[noise]))
        for name in ("PCA", *WAYS):
            at = best(found, some.clean, noise, name)
            lines.append((f"{name.replace('_', ' ')}, {at}", found[noise, name, at]))
    figure, axes = pyplot.subplots(len(lines), len(places), figsize=(7.6, 0.62 * len(lines)))
    for across, (words, rows) in zip(axes, lines, strict=True):
        across[0].text(-0.25, 0.5, words, ha="right", va="center", transform=across[0].transAxes)
        for one, place in zip(across, places, strict=True):
            one.imshow(rows[place].reshape(16, 16), cmap="gray_r", vmin=-1, vmax=1)
            one.set_axis_off()
    figure.subplots_adjust(left=0.26, right=0.99, top=0.99, bottom=0.01, wspace=0.05, hspace=0.08)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Noisy digits restored.")
    parser.add_argument("--only", choices=NOISES, help="one kind of noise")
    parser.add_argument("--digits", type=int, default=LEARNED, help="of each class, to learn from")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and its picture")
    arguments = parser.parse_args(argv)
    if arguments.write and arguments.only:
        parser.error("--write needs both kinds of noise")
    some = digits(arguments.digits, RESTORED)
    if some is None:
        print("skipped: usps.npz is not in the data folder")
        return 0
    noises = [arguments.only] if arguments.only else list(NOISES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pre-images that had not settled
        found = restore(some, noises)
    tables = [table(found, some, noise) for noise in noises]
    print(f"gamma = 1 / {1 / gamma_of(some.train):.1f}", *tables, sep="\n\n")
    if arguments.write:
        page.fill(PAGE, tables)
        draw(found, some)
    return 0


if __name__ == "__main__":
    sys.exit(main())
