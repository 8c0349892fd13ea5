"""Any endpoint that speaks OpenAI's chat completions: one question, one text, temperature 0."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass

KEY = "MEMORY_WIRE_ANSWERS_KEY"  # the environment variable with the endpoint's key, when it wants one


class Failed(Exception):
    """No usable answer came back."""


@dataclass
class Said:
    """A model's text and the tokens of what it was asked with, as the endpoint counts them, else a fourth of the characters."""

    text: str
    prompt_tokens: int


@dataclass
class Model:
    endpoint: str
    name: str
    answer_tokens: int
    seconds: float

    def ask(self, prompt: str) -> Said:
        """Raises Failed."""
        body = {
            "model": self.name,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": self.answer_tokens,
        }
        headers = {"content-type": "application/json"}
        if key := os.environ.get(KEY):
            headers["authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{self.endpoint.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=self.seconds) as reply:
                found = json.load(reply)
            text = found["choices"][0]["message"]["content"]
        except urllib.error.HTTPError as error:
            error.close()
            raise Failed(f"HTTP {error.code}") from None
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise Failed(type(error).__name__) from None
        if not isinstance(text, str) or not text.strip():
            raise Failed("empty")
        counted = (found.get("usage") or {}).get("prompt_tokens")
        return Said(text.strip(), counted if isinstance(counted, int) else len(prompt) // 4)
