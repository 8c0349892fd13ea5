"""The running example, end to end over MCP: a fact with its source, the source changes, another fact disagrees, a summary inherits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mcp.posting import calling, post
from tests.serve.serving import Serving


def test_staging_deploys(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:

        def call(tool: str, **arguments: object) -> Any:
            result = post(server, calling(tool, **arguments)).json["result"]
            assert result["isError"] is False, result
            return result["structuredContent"]

        first = call(
            "remember",
            content="Staging deploys run every Tuesday at ten.",
            fact_key="staging-deploy-day",
            source="Deployment guide",
            source_id="docs/deploy.md",
            source_hash="sha256:aaaa1111",
            source_revision="4f2c9d1",
            confidence=0.9,
        )
        assert (first["status"], first["conflict_with"]) == ("unverified", [])
        summary = call("remember", content="Releases in short: staging on Tuesday, production on Thursday.", derived_from=[first["id"]])
        assert summary["status"] == "unverified"

        # docs/deploy.md changes
        checked = call("validate_memory", source_id="docs/deploy.md", current_source_hash="sha256:bbbb2222")
        assert (checked["checked"], checked["fresh"], checked["unhashed"]) == (1, [], [])
        assert checked["stale"] == [{"id": first["id"], "stored_hash": "sha256:aaaa1111"}]
        assert checked["summaries_affected"] == [summary["id"]]
        found = {hit["id"]: hit for hit in call("search", query="when do staging deploys run?")["results"]}
        assert (found[first["id"]]["status"], found[first["id"]]["source_revision"]) == ("stale", "4f2c9d1")
        assert found[first["id"]]["stale_reason"] == {
            "reason": "source_changed",
            "source_id": "docs/deploy.md",
            "stored": "sha256:aaaa1111",
            "compared": "sha256:bbbb2222",
        }
        assert found[summary["id"]]["status"] == "stale" and found[summary["id"]]["inherited_from"] == [first["id"]]

        # a second fact says otherwise
        second = call(
            "remember",
            content="Staging deploys run every Friday at noon.",
            fact_key="Staging Deploy Day",
            source_id="docs/deploy.md",
            source_hash="sha256:bbbb2222",
        )
        assert second["conflict_with"] == [first["id"]]
        hits = call("search", query="when do staging deploys run?")["results"]
        facts = [hit for hit in hits if hit["fact_key"] is not None]
        assert [hit["id"] for hit in facts] == [second["id"], first["id"]]  # both, the newest first
        assert [hit["statuses"] for hit in facts] == [["conflict"], ["conflict", "stale"]]
        (inherited,) = [hit for hit in hits if hit["id"] == summary["id"]]
        assert inherited["statuses"] == ["conflict", "stale"]
        assert [hit["id"] for hit in call("search", query="staging deploys", exclude_stale=True)["results"]] == [second["id"]]
        groups = call("validate_memory", source_id="docs/deploy.md", current_source_hash="sha256:bbbb2222")["conflicts"]
        assert groups == [{"fact_key": "staging-deploy-day", "ids": [first["id"], second["id"]]}]

        # who only recalls is told as well
        told = post(server, calling("memory_recall", query="staging deploys Tuesday at ten")).json["result"]
        assert "] (conflict, stale) Staging deploys run every Tuesday at ten." in told["content"][0]["text"]
        assert {"conflict"} == {memory["status"] for memory in told["structuredContent"]["memories"]}

        # somebody settles it
        assert call("forget", memory_id=first["id"]) == {"forgotten": True, "count": 1, "ids": [first["id"]]}
        hits = {hit["id"]: hit for hit in call("search", query="when do staging deploys run?")["results"]}
        assert hits[second["id"]]["status"] == "unverified" and first["id"] not in hits
        assert hits[summary["id"]]["stale_reason"] == {"reason": "source_forgotten"}
