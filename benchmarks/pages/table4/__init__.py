"""docs/table4.md: adapters for every subset of tasks, and what every task keeps."""
