"""The data sets by task: what each video shows, and how a set is written to a folder."""
