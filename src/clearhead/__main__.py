"""`python -m clearhead` is the command `clearhead`."""

from clearhead.surfaces.cli.app import main

main()
