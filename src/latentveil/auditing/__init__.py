"""What an attacker can still learn, and what the features are still good for: splits, leakage, floors, pictures."""
