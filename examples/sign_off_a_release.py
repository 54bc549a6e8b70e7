"""Sign off a release: limits that were written down before, an audit held against them, an exit status for a pipeline.

Run: python examples/sign_off_a_release.py     (0: within the limits, 1: refused)
"""

import sys

import latentveil as lv
from invented_people import invent

# The upper end of the interval of the best attack may not exceed these; actions must stay good for at least this.
MOST = {"gender": 0.85}
LEAST = {"action": 0.80}
ATTACKS = ["linear", "lda"]  # for a real release: leave them out, so that all are tried


def reasons_to_refuse(audit):
    """What stands against the release, in words; nothing if it is within the limits."""
    reasons = [f"{secret} was not attacked" for secret in MOST if secret not in audit.secrets]
    reasons += [
        f"{found.secret} was not tested: {found.why}" for found in audit.not_tested if found.secret in MOST
    ]
    for name, secret in audit.secrets.items():
        found = secret.worst.anonymized
        if not found.high <= MOST[name]:  # an interval that is not known is no reason to sign
            reasons.append(f"{name}: {secret.worst.attack} reaches {found}, the limit is {MOST[name]}")
    for name, least in LEAST.items():
        if not audit.tasks[name].anonymized.value >= least:
            reasons.append(f"{name}: {audit.tasks[name].anonymized} is less than {least}")
    return reasons


def main():
    features, _, labels = invent(num_people=24, actions=("walk", "sit"))
    raw = lv.FeatureSet.from_arrays(features)
    adapter = lv.fit(raw, labels, tasks=["action"], progress=False)
    adapter.save("adapter")
    safe = lv.apply(adapter, raw, seed=0)  # repeatable for this example; a release draws fresh noise

    # The attacker holds the adapter as well, which is the least to expect once it is in use.
    audit = lv.audit(
        raw, safe, labels, adapter="adapter", secrets=list(MOST), attacks=ATTACKS, progress=False
    )
    audit.save("audit")

    # Whoever signs reads what was kept, not what is in memory.
    kept = lv.load_audit("audit")
    print(kept)
    for flag in kept.flags:
        print(f"do not trust every number: {flag.why}")
    reasons = reasons_to_refuse(kept)
    for reason in reasons:
        print(f"refused: {reason}")
    if not reasons:
        print("Within the limits, for these people, this encoder and these attacks. See audit/report.html.")
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
