"""One program for each page of results in docs/."""
