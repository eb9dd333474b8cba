"""
Which samples determine the boundary of a support vector machine?
=================================================================

Only the support vectors, on the margin or on its wrong side, which are ringed: without all others
the boundary would be the same. A higher cost C narrows the margin, with fewer support vectors.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import SVC, BoundaryDisplay

X, y = make_moons(150, noise=0.2, random_state=4)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for ax, price in zip(axes, (0.3, 30.0), strict=True):
    model = SVC(C=price, gamma=0.7).fit(X, y)
    BoundaryDisplay.from_estimator(model, X, y, ax=ax, margin=0.25)
    ax.set_title(f"C = {price:g}, {len(model.support_)} support vectors")

plt.show()
