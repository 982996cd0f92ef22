"""`python -m unifilter`: the command line where no script is installed."""

from unifilter.cli.app import main

if __name__ == "__main__":
    main()
