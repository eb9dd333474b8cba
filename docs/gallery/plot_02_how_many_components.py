"""
How many components do digits need?
===================================

An image of 8 × 8 pixels has 64 numbers, but the pixels are correlated: with a wide kernel,
a few dozen components explain most of the variance. The mark shows how many explain 80 % of it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from mercer import KernelPCA, SpectrumDisplay

X = load_digits().data
kpca = KernelPCA(60, kernel="rbf", gamma=0.0002).fit(X)
SpectrumDisplay.from_estimator(kpca, share=0.8)

plt.show()
