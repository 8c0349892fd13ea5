"""PrecisionMemBench: what a question brings back, and what it must not."""
