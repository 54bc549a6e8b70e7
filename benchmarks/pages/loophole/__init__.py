"""docs/loophole.md and the table of results in README.md: the published objective trained to the end."""
