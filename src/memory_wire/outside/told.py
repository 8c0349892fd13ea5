"""The one exception whose text leaves the child program."""


class Told(Exception):
    """Something went wrong that the caller should know. The text has no secret in it: no header, no query, no body."""
