"""
Which wines are outliers?
=========================

The detector models the distribution of alcohol and colour, whatever its shape, and flags wines
that its components do not explain. The line is the threshold that flags one wine in twenty.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import KernelPCADetector, OutlierDisplay

wines = load_wine(as_frame=True).data[["alcohol", "color_intensity"]]
detector = KernelPCADetector(n_components=8, gamma=0.5, contamination=0.05)
model = make_pipeline(StandardScaler(), detector).fit(wines)
OutlierDisplay.from_estimator(model, wines, labels=[f"wine {row}" for row in wines.index])

plt.show()
