"""`python -m regretless` is the command line."""

from regretless.apps.cli import main

if __name__ == "__main__":
    main()
