"""How well the guard tells attacks from engineering text, beside agent-memory-guard."""
