"""Videos I have: from video files to safe features as .npy files, with a report.

Run: python examples/videos_i_have.py
"""

from pathlib import Path

import numpy as np

import latentveil as lv
from latentveil.actors.sets.write import write_dataset

# Yours would be a folder of videos and a labels.csv. These are rendered: people who move, in rooms of four kinds.
write_dataset("actors", task="action", num_videos=64, size=64, workers=1)

# `tiny` is a network of random filters that takes seconds. For real work: encoder="i3d" (or videomae, vjepa2).
raw = lv.extract("actors/videos", "raw.store", encoder="tiny", clips=2, static=2, progress=False)
print(f"{len(raw.videos)} videos in raw.store")

adapter = lv.fit(raw, "actors/labels.csv", tasks=["action"], progress=False)
adapter.save("adapter")
safe = lv.apply(adapter, raw, "safe.store", progress=False)

# The scene is a secret that random filters see well. Leave out `secrets` and `attacks` to try everything.
audit = lv.audit(
    raw,
    safe,
    "actors/labels.csv",
    adapter="adapter",
    secrets=["scene"],
    attacks=["linear", "lda"],
    progress=False,
)
print(audit)
audit.save("audit")

lv.export_features(safe, npy="safe_features")
first = sorted(Path("safe_features").glob("*.npy"))[0]
print(f"{first}: {np.load(first).shape}")
