"""
Can kernel PCA separate two rings?
==================================

PCA only rotates the data, and the rings stay concentric. Kernel PCA with an RBF kernel
separates them along its first component.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from mercer import PCA, EmbeddingDisplay, KernelPCA

X, y = make_circles(300, factor=0.35, noise=0.06, random_state=0)
ring = np.where(y == 1, "inner ring", "outer ring")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
models = {"PCA": PCA(2), "kernel PCA": KernelPCA(2, kernel="rbf", gamma=4.0)}
for ax, (name, model) in zip(axes, models.items(), strict=True):
    EmbeddingDisplay.from_estimator(model.fit(X), X, ring, ax=ax)
    ax.set_title(name)

plt.show()
