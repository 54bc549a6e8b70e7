"""Files and folders, of this machine or behind a URL: read whole or refused, written whole or not at all."""
