"""The command `clearhead`: open the page, or read the same numbers in the terminal."""
