"""What the features must stay good for: action recognition, temporal detection, anomaly detection."""
