"""The HTTP server. `loop.run` is the way in; surfaces beside it (command line) import nothing else from here."""
