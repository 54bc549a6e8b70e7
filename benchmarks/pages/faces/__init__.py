"""docs/faces.md: what attackers read from stills of strangers, behind adapters that only ever saw signers."""
