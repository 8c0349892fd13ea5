"""Documents and hubs as an agent uses them: a real client of the protocol, `memory-wire mcp` as a process, the tools of the hub."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp
from mcp.client.stdio import StdioServerParameters

from memory_wire import Memory
from memory_wire.hub.sections import parse
from tests.hub.library import guide, word

ROUNDS = 60
TOOLS = {"doc_read", "doc_write", "doc_search", "hub_recall"}


@asynccontextmanager
async def client(folder: Path) -> AsyncIterator[mcp.Client]:
    command = ["-W", "error", "-m", "memory_wire", "mcp", "--db", str(folder / "memory.db"), "--bank", "notes", "--tools", "hub"]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=folder, env={"HOME": str(folder)})
    async with mcp.Client(server, read_timeout_seconds=30) as connected:
        yield connected


async def called(client: mcp.Client, name: str, **arguments: object) -> dict[str, Any]:
    """What a tool answers. A refusal is its text under `error`."""
    answer = await client.call_tool(name, arguments)
    if answer.is_error:
        return {"error": answer.content[0].text}  # type: ignore[union-attr]
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


def test_an_agent_writes_reads_and_asks(tmp_path: Path) -> None:
    async def talk() -> None:
        async with client(tmp_path) as agent:
            tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
            assert tools.keys() >= TOOLS
            assert tools["hub_recall"].input_schema["required"] == ["slug", "question"]
            made = await called(agent, "doc_write", markdown="# Journey\n\n## March\n\nBuilt the MCP server.\n\n## April\n\nRested.\n")
            id = made["id"]
            assert (made["title"], made["version"], made["chunks"]["indexed"]) == ("Journey", 1, 2)
            outline = (await called(agent, "doc_read", id=id, outline=True))["outline"]
            assert [row["path"] for row in outline] == ["Journey", "Journey > March", "Journey > April"]
            part = await called(agent, "doc_read", id=id, section="March")
            assert part["markdown"] == "## March\n\nBuilt the MCP server.\n\n"
            (hit,) = (await called(agent, "doc_search", query="rested"))["results"]
            assert (hit["document"], hit["breadcrumb"]) == (id, "Journey > April")
            saved = await called(agent, "doc_write", id=id, mode="section", section="April", markdown="Slept.", if_version=1)
            assert saved["version"] == 2
            assert (
                "the document is at version 2"
                in (await called(agent, "doc_write", id=id, mode="append", markdown="x", if_version=1))["error"]
            )
            assert "no public hub" in (await called(agent, "hub_recall", slug="notes", question="server"))["error"]
            with Memory(tmp_path / "memory.db", bank="notes") as memory:
                memory.put_hub("notes", public=True)
            found = await called(agent, "hub_recall", slug="notes", question="MCP server", hybrid=True)
            assert [(row["level"], row["heading_path"], row["fts_rank"]) for row in found["results"]] == [("chunk", "Journey > March", 1)]
            assert found["meta"]["retrieval"] == "fts" and found["degraded"]
            assert "`question` is required" in (await called(agent, "hub_recall", slug="notes"))["error"]
            answer = await agent.call_tool("hub_recall", {"slug": "notes", "question": "slept", "level": "doc"})
            assert json.loads(answer.content[0].text) == answer.structured_content  # type: ignore[union-attr]

    asyncio.run(talk())


def test_sixty_rounds_of_edits_leave_the_other_sections_as_they_were(tmp_path: Path) -> None:
    """Byte for byte, through the tool that agents write with; line ends, blanks and odd marks of others' sections included."""
    before = guide(20).replace("## Part 3\n", "Part 3\n------\n").replace("## Part 9\n\nAbout", "##   Part 9   ##\n\n\tAbout\u00a0 ")
    before = before.replace("## Part 5\n", "## Part 5\n\n```\n## no heading\n```\n").replace("About " + word(7), "About " + word(7) + "  ")
    chance = random.Random(3)

    async def talk() -> None:
        async with client(tmp_path) as agent:
            id = (await called(agent, "doc_write", markdown=before))["id"]
            known = sections(before)
            for number in range(1, ROUNDS + 1):
                title = chance.choice([title for title in known if title.startswith("Part")])
                text = f"Round {number} of {word(number)}.\n\n"
                saved = await called(agent, "doc_write", id=id, mode="section", section=title, markdown=text, if_version=number)
                assert saved["version"] == number + 1 and saved["chunks"]["indexed"] == 1
                now = sections((await called(agent, "doc_read", id=id))["markdown"])
                assert now.keys() == known.keys()
                assert {name for name in now if now[name] != known[name]} == {title}
                assert now[title].endswith(text)
                known = now

    asyncio.run(talk())


def sections(markdown: str) -> dict[str, str]:
    """Each section's text by its title."""
    parsed = parse(markdown)
    lines = markdown.splitlines(keepends=True)
    return {section.title: "".join(lines[section.first - 1 : section.last]) for section in parsed.sections}
