"""The vocabulary and the store; imports nothing of the other packages."""
