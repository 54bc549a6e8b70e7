"""docs/transport.md: a release treated as a set, against methods that look at each video by itself."""
