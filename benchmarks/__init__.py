"""Programs behind published pages and speeds; README.md says which of them writes what."""
