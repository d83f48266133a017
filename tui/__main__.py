"""`python -m cutaway` is the `cutaway` command."""

from cutaway.tui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
