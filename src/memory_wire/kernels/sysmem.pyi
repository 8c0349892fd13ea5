def tune() -> None:
    """One malloc arena, large blocks returned to the system when freed, no huge pages. Before threads exist; no effect off Linux."""

def release() -> int:
    """Gives free heap memory and clean pages of mapped files back. Returns the KiB of file pages dropped, 0 where that can't be done.

    Dropped are pages of mappings that have a file, can't be written and hold no page of our own; touching one reads it again from the
    page cache. Holds the interpreter's lock: nothing of this process runs meanwhile.
    """

def window(size: int, least: int) -> int:
    """Has a page fault in a library of at least `least` bytes map `size` bytes around it, not 64 KiB. Returns how many pieces that made.

    For once all libraries are loaded. Each piece costs the kernel about 200 bytes. Raises ValueError when `size` isn't whole pages.
    """

def resident() -> int:
    """Resident set in KiB, -1 where the system doesn't tell."""

def peak() -> int:
    """Largest resident set so far in KiB (VmHWM), -1 where the system doesn't tell."""
