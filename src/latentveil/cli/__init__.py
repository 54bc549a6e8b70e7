"""The command `veil`: one file per subcommand."""
