def tune() -> None:
    """One malloc arena, large blocks returned to the system when freed, no huge pages. Before threads exist; no effect off Linux."""

def release() -> int:
    """Gives free heap memory and clean pages of mapped files back. Returns the KiB of file pages dropped, 0 where that can't be done.

    Dropped are pages of mappings that have a file, can't be written and hold no page of our own; touching one reads it again from the
    page cache. Holds the interpreter's lock: nothing of this process runs meanwhile.
    """

def resident() -> int:
    """Resident set in KiB, -1 where the system doesn't tell."""

def peak() -> int:
    """Largest resident set so far in KiB (VmHWM), -1 where the system doesn't tell."""
