"""Regressions in exact arithmetic: slow, short, and without a single rounding error."""

from fractions import Fraction


def exact(values):
    """Return the numbers of an array as fractions."""
    return [[Fraction(float(v)) for v in row] for row in values]


def gram(kernel, left, right, gamma, degree=3):
    """Return the values of the linear or the polynomial kernel."""
    gamma = Fraction(float(gamma))

    def value(a, b):
        product = sum(x * y for x, y in zip(a, b, strict=True))
        return product if kernel == "linear" else (gamma * product + 1) ** degree

    return [[value(a, b) for b in right] for a in left]


def solve(matrix, right):
    """Solve a system by elimination."""
    n = len(matrix)
    rows = [[*line, b] for line, b in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    x = [Fraction(0)] * n
    for k in reversed(range(n)):
        rest = sum(rows[k][j] * x[j] for j in range(k + 1, n))
        x[k] = (rows[k][n] - rest) / rows[k][k]
    return x


def ridge(matrix, y, alpha, *, intercept):
    """Return coefficients and constant of kernel ridge regression."""
    n, alpha = len(y), Fraction(float(alpha))
    rows = [[v + (alpha if i == j else 0) for j, v in enumerate(r)] for i, r in enumerate(matrix)]
    if not intercept:
        return solve(rows, y), Fraction(0)
    rows = [[*row, Fraction(1)] for row in rows] + [[Fraction(1)] * n + [Fraction(0)]]
    *coef, constant = solve(rows, [*y, Fraction(0)])
    return coef, constant


def predictions(values, coef, constant):
    """Return the predictions for rows of kernel values."""
    products = (sum(v * c for v, c in zip(row, coef, strict=True)) for row in values)
    return [product + constant for product in products]


def left_out_error(matrix, y, alpha, *, intercept):
    """Return the mean squared error of fits without each sample in turn."""
    n, total = len(y), Fraction(0)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        part = [[matrix[a][b] for b in others] for a in others]
        found = ridge(part, [y[j] for j in others], alpha, intercept=intercept)
        (predicted,) = predictions([[matrix[i][j] for j in others]], *found)
        total += (y[i] - predicted) ** 2
    return total / n


def spread(matrix):
    """Return the mean squared distance of samples from their mean in feature space."""
    n = len(matrix)
    mean = sum(sum(row) for row in matrix) / Fraction(n * n)
    return sum(matrix[i][i] for i in range(n)) / Fraction(n) - mean


def deviation(matrix, alpha, values, own):
    """Return the standard deviation of a Gaussian process with an unknown constant at a sample."""
    n, alpha = len(matrix), Fraction(float(alpha))
    rows = [[v + (alpha if i == j else 0) for j, v in enumerate(r)] for i, r in enumerate(matrix)]
    rows = [[*row, Fraction(1)] for row in rows] + [[Fraction(1)] * n + [Fraction(0)]]
    *weights, constant = solve(rows, [*values, Fraction(1)])
    explained = sum(w * v for w, v in zip(weights, values, strict=True)) + constant
    return float(own - explained) ** 0.5
