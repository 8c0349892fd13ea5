"""Peers on the same texts: each builds from a list of texts and answers a question with at most k row numbers, tokenising included."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence

STOP = frozenset(
    "what which who whom whose when where why how did does do done is are was were be been am has have had can could will would"
    " should may might the a an of to in on at by for with from and or if any there that this it its as about s t".split()
)
TOKEN = re.compile(r"\w+")

Ask = Callable[[str], Sequence[int]]


def words(text: str, stop: bool) -> list[str]:
    """Lower-case words; ours or no stop list."""
    return [word for word in TOKEN.findall(text.lower()) if not (stop and word in STOP)]


def fts5(texts: Sequence[str], k: int, stop: bool) -> tuple[Ask, sqlite3.Connection]:
    """SQLite FTS5, OR query, bm25."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE memory USING fts5(content)")
    db.executemany("INSERT INTO memory(rowid, content) VALUES (?, ?)", enumerate(texts, 1))
    db.execute("INSERT INTO memory(memory) VALUES ('optimize')")

    def ask(text: str) -> list[int]:
        query = " OR ".join(f'"{word}"' for word in words(text, stop))
        rows = db.execute("SELECT rowid FROM memory WHERE memory MATCH ? ORDER BY bm25(memory) LIMIT ?", (query, k))
        return [row for (row,) in rows]

    return ask, db


def fts5_full(db: sqlite3.Connection, k: int) -> Callable[[str], list[tuple[int, str]]]:
    """The same with the texts of the best k."""

    def ask(text: str) -> list[tuple[int, str]]:
        query = " OR ".join(f'"{word}"' for word in words(text, False))
        return db.execute("SELECT rowid, content FROM memory WHERE memory MATCH ? ORDER BY bm25(memory) LIMIT ?", (query, k)).fetchall()

    return ask


def tantivy(texts: Sequence[str], k: int, stop: bool, folder: str) -> Ask:
    """tantivy through its Python binding: an OR of terms, English stemming in the index."""
    import tantivy as engine

    schema = (
        engine.SchemaBuilder().add_unsigned_field("row", stored=True, fast=True).add_text_field("content", tokenizer_name="en_stem").build()
    )
    index = engine.Index(schema, path=folder)
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for row, text in enumerate(texts, 1):
        document = engine.Document()
        document.add_unsigned("row", row)
        document.add_text("content", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> list[int]:
        query = index.parse_query(" ".join(words(text, stop)), ["content"])
        return [searcher.doc(address)["row"][0] for _, address in searcher.search(query, k).hits]

    return ask


def bm25s(texts: Sequence[str], k: int, stop: bool) -> Ask:
    """bm25s with its numba backend; its own English stop list, or ours."""
    import bm25s as engine
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    stopwords = list(STOP) if stop else "en"
    retriever = engine.BM25(backend="numba")
    retriever.index(engine.tokenize(list(texts), stopwords=stopwords, stemmer=stemmer, show_progress=False), show_progress=False)
    retriever.activate_numba_scorer()

    def ask(text: str) -> list[int]:
        tokens = engine.tokenize(text, stopwords=stopwords, stemmer=stemmer, show_progress=False, return_ids=False)
        found, _ = retriever.retrieve(tokens, k=k, show_progress=False, n_threads=1)
        return [int(row) + 1 for row in found[0]]

    return ask
