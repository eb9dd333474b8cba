"""
How strong should the penalty of a regression be?
=================================================

Too little penalty follows the noise, too much flattens the curve; the best lies between. Leaving
out each sample once, exactly and without fitting anew, scores every penalty.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from mercer import KernelRidgeCV, PathDisplay

X, y = load_diabetes(return_X_y=True)
alphas = np.logspace(-3, 3, 25)
model = KernelRidgeCV(alphas, gamma=[2.0, 20.0, 200.0], store_cv_results=True).fit(X, y)
PathDisplay.from_estimator(model, kind="curves")

plt.show()
