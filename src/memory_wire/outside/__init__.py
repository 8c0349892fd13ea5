"""What lies outside this process: addresses on the network, models in folders. A child program goes there, so the server loads none of it.

The parent's half is child.py and lanes.py, the child's worker.py with what table.py names.
"""

from memory_wire.outside.lanes import Outside as Outside
