"""What the features must stay good for: action recognition, temporal detection, anomaly detection.

`base.py` is the interface; `action.py`, `detection/` (TriDet) and `anomaly/` (MGFN) are the tasks, `heads/` their
models by name, `probes.py` the linear probe. `evaluate.py` has the verb.
"""
