"""From a file to clips: decoding, sampling, preprocessing."""
