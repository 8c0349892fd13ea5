"""Documents as text: blocks, headings, chunks, line differences. Pure functions; loaded with the first document."""
