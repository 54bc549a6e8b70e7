"""`python -m latentveil` is `veil`."""

from latentveil.cli.main import main

if __name__ == "__main__":
    main()
