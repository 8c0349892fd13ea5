"""A driver's loop: one JSON object a line in and out. Run by a peer's own interpreter; needs the standard library alone."""

import json
import sys


def serve(handlers):
    """Answers {"op": NAME, …} by calling the handler of that name with the other fields, until the input ends."""
    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    for line in sys.stdin:
        call = json.loads(line)
        answer = handlers[call.pop("op")](**call)
        out.write(json.dumps(answer) + "\n")
        out.flush()
