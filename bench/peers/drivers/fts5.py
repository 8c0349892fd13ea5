"""Plain SQLite: a table and its full-text index, bm25, words of the question joined by OR. The least that a memory can be."""

import re
import sqlite3
import sys

from lines import serve

base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("PRAGMA journal_mode = WAL")
base.execute("PRAGMA synchronous = FULL")
base.execute("CREATE VIRTUAL TABLE memory USING fts5(key UNINDEXED, text, tokenize = 'porter unicode61')")


def add(key, text):
    base.execute("INSERT INTO memory VALUES (?, ?)", (key, text))


def search(query, limit):
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    found = base.execute("SELECT key FROM memory WHERE text MATCH ? ORDER BY rank LIMIT ?", (words, limit))
    return [key for (key,) in found]


serve({"ready": lambda: True, "add": add, "search": search})
