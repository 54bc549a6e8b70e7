"""Features I have: hide who is in them, keep the actions, and see what an attacker can still learn.

Run: python examples/features_i_have.py
"""

import latentveil as lv
from invented_people import invent

# Yours would be {video: array (T, D)}, read from wherever they are, and a CSV file with one row per video.
features, stills, labels = invent()

# Stills (single frames, encoded like clips) tell the method what is looks; leave them out if you have none.
raw = lv.FeatureSet.from_arrays(features, stills=stills)

# What the features must stay good for is named; everything else may go.
adapter = lv.fit(raw, labels, tasks=["action"], progress=False)
safe = lv.apply(adapter, raw)

# Fresh attackers on raw and on safe features. Leave out `attacks` to try all of them.
audit = lv.audit(raw, safe, labels, adapter=adapter, attacks=["linear", "lda"], progress=False)
print(audit)

for name, secret in audit.secrets.items():
    print(f"{name}: best attack {secret.worst.attack}, {secret.worst.raw} -> {secret.worst.anonymized}")

adapter.save("adapter")  # lv.load_adapter("adapter") brings it back, for features to come
audit.save("audit")  # audit.json, and audit/report.html to open in a browser
