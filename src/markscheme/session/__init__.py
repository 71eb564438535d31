"""One warm process that grades for many short ones: the client that asks it, and the server that answers."""
