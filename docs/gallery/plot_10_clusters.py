"""
Can k-means find two moons?
===========================

Ordinary k-means separates the moons with a straight line. Kernel
k-means has its centres in feature space, and with spectral initialisation it finds both moons.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from mercer import EmbeddingDisplay, KernelKMeans

X, _ = make_moons(300, noise=0.06, random_state=0)
models = {
    "k-means": KMeans(2, n_init=10, random_state=0),
    "kernel k-means": KernelKMeans(2, gamma=20.0, init="spectral"),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    labels = [f"cluster {label}" for label in model.fit_predict(X)]
    EmbeddingDisplay.from_predictions(X, labels, names=["feature 0", "feature 1"], ax=ax)
    ax.set_title(name)

plt.show()
