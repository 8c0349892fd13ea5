"""Matrices out of safetensors files: a length, a JSON header, rows. Runs in the child program; files are mapped, rows read when used."""

from __future__ import annotations

import json
import os

import numpy as np

from memory_wire.outside.told import Told

DTYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1"}
HEADER_BYTES = 16 * 1024 * 1024


def matrix(path: str) -> np.ndarray:
    """The largest matrix of the file, mapped read-only. Raises Told."""
    try:
        with open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if not 2 <= size <= HEADER_BYTES:
                raise ValueError
            header = json.loads(file.read(size))
        found = [entry for entry in header.values() if len(entry.get("shape", ())) == 2]
        entry = max(found, key=lambda entry: entry["shape"][0] * entry["shape"][1])
        dtype, (rows, columns), (start, end) = np.dtype(DTYPES[entry["dtype"]]), entry["shape"], entry["data_offsets"]
        if rows < 1 or columns < 1 or start < 0 or end - start != rows * columns * dtype.itemsize or 8 + size + end > os.path.getsize(path):
            raise ValueError
        return np.memmap(path, dtype, "r", 8 + size + start, (rows, columns))
    except OSError as error:
        raise Told(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Told(f"{path}: not a safetensors file with a matrix of F32, F16 or I8") from None
