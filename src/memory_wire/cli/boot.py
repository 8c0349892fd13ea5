"""First file of the isolated interpreter that slim.py starts: gets the module search path back and serves."""

import sys

known = set(sys.path)
sys.path += [entry for entry in sys._xoptions["memory_wire"].split(":") if entry not in known]

from memory_wire.cli.serve import serve  # noqa: E402

sys.exit(serve(sys.argv[2:]))
