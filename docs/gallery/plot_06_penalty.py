"""
How strong should the penalty of a regression be?
=================================================

Too small a penalty fits the noise, too large a penalty flattens the curve. Every penalty is
scored by exact leave-one-out cross-validation, without refitting.
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
