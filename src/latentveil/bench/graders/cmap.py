"""cMAP: the papers' headline number of privacy."""

from __future__ import annotations

from latentveil.bench.graders.measure import Measure
from latentveil.metrics.classification import multi_label_cmap

cmap = Measure("cmap", "the mean over attributes of the average precision of their logits", multi_label_cmap)
