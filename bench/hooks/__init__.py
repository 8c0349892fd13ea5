"""What a hook costs its host: wall time of the whole process and its peak memory."""
