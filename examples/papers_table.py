"""A paper's table: several methods on the same features, under the same attacks, with several seeds.

Run: python examples/papers_table.py
`veil bench` does the same from a recipe, with trade-off curves, and goes on where it was stopped.
"""

from statistics import mean

import latentveil as lv
from invented_people import invent

SEEDS = (0, 1)
ATTACKS = ["lda"]  # a quick one; leave out `attacks` to try them all
# The published number of epochs is 100, after a start that is trained.
SHORT = {"train.epochs": 20, "train.batch_size": 64, "adapter.init": "exact"}

# Each row is what lv.fit is asked for. `identity` changes nothing; `only noise` publishes nothing, so what attacks
# reach there is luck.
ROWS = {
    "raw": {"method": "identity"},
    "only noise": {"method": "noise", "settings": {"erasure.noise": 1e6}},
    "pca": {"method": "pca", "settings": {"erasure.keep": 8}},
    "released": {"preset": "released", "settings": SHORT},
    "veil": {"preset": "veil"},
}


def measure(row, *, seed):
    """The best attack on gender, that on identity, and the accuracy of fresh heads for actions."""
    features, stills, labels = invent(num_people=8, seed=seed)
    raw = lv.FeatureSet.from_arrays(features, stills=stills)
    adapter = lv.fit(raw, labels, tasks=["action"], seed=seed, progress=False, **row)
    safe = lv.apply(adapter, raw)
    audit = lv.audit(raw, safe, labels, attacks=ATTACKS, recipient=None, seed=seed, progress=False)
    return (
        audit.secrets["gender"].worst.anonymized.value,
        audit.secrets["identity"].worst.anonymized.value,
        audit.tasks["action"].anonymized.value,
    )


print("| features | gender, best attack | identity, best attack | actions |")
print("|---|---|---|---|")
for name, row in ROWS.items():
    scores = zip(*(measure(row, seed=seed) for seed in SEEDS))
    print(f"| {name} | {' | '.join(f'{mean(values):.3f}' for values in scores)} |")
