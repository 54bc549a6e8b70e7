"""Weakly supervised anomaly detection: MGFN, and a ranking-loss detector as its sanity baseline."""
