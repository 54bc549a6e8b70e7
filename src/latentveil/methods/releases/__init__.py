"""What `transport` is made of: a release as a set of groups, levelled, moved to their middle, and drawn for."""
