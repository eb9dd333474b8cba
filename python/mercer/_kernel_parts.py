"""Kernels that are functions of the user's own, and kernels on some columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mercer._kernel_base import Kernel, Spec
from mercer._own import Function


class Own(Kernel):
    """A function of the user's own as a kernel; :func:`pair` and :func:`block` make one.

    Parameters
    ----------
    function : callable
        The function.
    form : {"pair", "block"}
        Whether it takes two samples and returns a number, or two sets and returns a matrix.
    name : str, optional
        What the kernel is called; by default as the function is.
    """

    def __init__(self, function: Callable, form: str = "pair", name: str | None = None):
        self.function = function
        self.form = form
        self.name = name
        self._check()

    def _check(self) -> None:
        if not callable(self.function):
            raise TypeError(f"a function is needed here, not {self.function!r}")
        if self.form not in ("pair", "block"):
            raise ValueError(f"form must be 'pair' or 'block', not {self.form!r}")
        super()._check()

    def _text(self) -> str:
        return f"custom({quoted(self._functions()[0].name)})"

    def _functions(self) -> list[Function]:
        name = self.name or name_of(self.function)
        return [Function(name, self.function, self.form)]


def pair(function: Callable[..., float], name: str | None = None) -> Own:
    """Make a kernel of a function of two samples.

    The samples of a fit may be anything then: rows of an array, or the objects of a list. The
    function is called for each pair that is needed, tile by tile, on one thread at a time.

    Parameters
    ----------
    function : callable
        ``f(x, y) -> float``, symmetric.
    name : str, optional
        What the kernel is called; by default as the function is.

    Returns
    -------
    kernel : Kernel
        The kernel, for all estimators, and for sums, products and normalised forms.

    Examples
    --------
    >>> from mercer import SVC, kernels
    >>> def jaccard(a, b):
    ...     return len(a & b) / len(a | b)
    >>> baskets = [{"bread", "milk"}, {"bread", "butter"}, {"nails", "saw"}, {"saw", "hammer"}]
    >>> model = SVC(kernel=kernels.pair(jaccard)).fit(baskets, ["food", "food", "tools", "tools"])
    >>> model.predict([{"butter", "milk"}, {"hammer"}])
    array(['food', 'tools'], dtype='<U5')
    """
    return Own(function, "pair", name)


def block(function: Callable[..., object], name: str | None = None) -> Own:
    """Make a kernel of a function of two sets of samples.

    It is called once for each tile of the kernel matrix, which is faster than once for each pair.

    Parameters
    ----------
    function : callable
        ``f(A, B) -> matrix`` with a row for each sample of A and a column for each of B. Of an
        array it is given rows, of a list a list.
    name : str, optional
        What the kernel is called; by default as the function is.

    Returns
    -------
    kernel : Kernel
        The kernel, for all estimators, and for sums, products and normalised forms.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCA, kernels
    >>> def waves(A, B):
    ...     return np.cos(A - B.T)
    >>> angles = np.linspace(0, 6, 40)[:, None]
    >>> KernelPCA(kernel=kernels.block(waves)).fit(angles).eigenvalues_.round(2)
    array([20.42, 19.56])
    """
    return Own(function, "block", name)


class Columns(Kernel):
    """A kernel on some columns of a table; :func:`columns` makes one.

    Parameters
    ----------
    names : sequence of str
        The columns.
    kernel : Kernel
        The kernel on them.
    """

    def __init__(self, names: Sequence[str], kernel: Kernel):
        self.names = names
        self.kernel = kernel
        self._check()

    def _text(self) -> str:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"a kernel is needed here, not {self.kernel!r}")
        names = ", ".join(map(quoted, self.names))
        return f"columns({names}: {self.kernel._text()})"


def columns(names: str | Sequence[str], kernel: Kernel | str) -> Columns:
    """Make a kernel on some columns of a table of several kinds.

    Parameters
    ----------
    names : str or sequence of str
        The columns, by the names that a data frame or a dictionary has; those of an array are
        counted: ``"0"``, ``"1"``, ….
    kernel : Kernel or str
        The kernel on them: one for texts on one column of texts, others on columns of numbers.

    Returns
    -------
    kernel : Kernel
        The kernel, to be added to and multiplied with those on other columns.

    Examples
    --------
    >>> import mercer
    >>> from mercer.kernels import RBF, Linear, columns
    >>> people = {"age": [31, 64, 33], "children": [0, 2, 0], "height": [1.7, 1.8, 1.9]}
    >>> k = columns("age", RBF(sigma=10)) * columns(["children", "height"], Linear())
    >>> k
    columns(age: rbf(sigma=10))*columns(children, height: linear)
    >>> k(people).round(2)
    array([[2.89, 0.01, 3.17],
           [0.01, 7.24, 0.03],
           [3.17, 0.03, 3.61]])
    """
    names = [names] if isinstance(names, str) else list(names)
    return Columns(names, Spec(kernel) if isinstance(kernel, str) else kernel)


def name_of(function: Callable) -> str:
    """Return what people call a function."""
    return getattr(function, "__name__", type(function).__name__)


def quoted(name: object) -> str:
    """Return a name as specs have it."""
    inner = str(name).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"
