"""What gists and everything made of them agree on: the version of the rules, kinds of concepts, how names are compared."""

from __future__ import annotations

from memory_wire.kernels import text as kernel

RULES = 3  # of what is kept: another number has every gist made anew
SKETCH = 64  # smallest hashes of a text's shingles
CONCEPT, ENTITY, TAG = range(3)


def key_of(label: str) -> str:
    """What two spellings of a name have in common: folded, English stems."""
    return b" ".join(kernel.terms(label)).decode()
