"""The Model Context Protocol: messages in, answers out. Knows operations by name, but no socket, no service and no client."""
