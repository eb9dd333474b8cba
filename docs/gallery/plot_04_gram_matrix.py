"""
What does a kernel matrix look like with sorted rows?
=====================================================

In the original order of the samples the kernel matrix looks like noise. Sorted by cluster, the
clusters are blocks along the diagonal.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from mercer import GramDisplay, KernelKMeans, pairwise_kernels

X, _ = make_blobs(240, centers=4, cluster_std=1.2, random_state=3)
clusters = KernelKMeans(4, gamma=0.1, n_init=10).fit(X)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
K = pairwise_kernels(X, kernel=clusters.kernel_)
GramDisplay.from_predictions(K, name="as they came", ax=axes[0], colorbar=False)
GramDisplay.from_predictions(K, clusters.labels_, by="cluster", name="by cluster", ax=axes[1])

plt.show()
