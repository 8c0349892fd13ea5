"""mem0 without a model: `infer=False`, its local vector store, and hashed words in place of the model that it would ask for vectors."""

import hashlib
import os
import re
import sys

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = sys.argv[1]
os.environ.setdefault("OPENAI_API_KEY", "unused")

from lines import serve
from mem0 import Memory

DIMENSION = 512


def embed(text, memory_action=None):
    """Counts of hashed words, at length one."""
    vector = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.lower()):
        vector[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little") % DIMENSION] += 1.0
    length = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / length for value in vector]


memory = Memory.from_config(
    {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": f"{sys.argv[1]}/qdrant", "embedding_model_dims": DIMENSION, "on_disk": True},
        },
        "embedder": {"provider": "openai", "config": {"embedding_dims": DIMENSION}},
        "history_db_path": f"{sys.argv[1]}/history.db",
    }
)
memory.embedding_model.embed = embed
memory.embedding_model.embed_batch = lambda texts, memory_action=None: [embed(text) for text in texts]


def add(key, text):
    memory.add(text, user_id="bench", metadata={"key": key}, infer=False)


def search(query, limit):
    try:
        found = memory.search(query, filters={"user_id": "bench"}, top_k=limit)
    except TypeError:
        found = memory.search(query, user_id="bench", limit=limit)
    return [row["metadata"]["key"] for row in found["results"]]


serve({"ready": lambda: True, "add": add, "search": search})
