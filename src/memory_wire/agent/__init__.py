"""The local agent: a host's tools from a remote server, writes kept while it is away, and sessions uploaded by those who agreed to that."""
