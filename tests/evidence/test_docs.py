"""README and the pages under .github against the product: links, measured numbers, commands, flags, routes, modules, pins."""

from __future__ import annotations

import re
from functools import cache
from importlib import util
from pathlib import Path

import pytest

from memory_wire.cli import apart
from memory_wire.cli.main import commands
from memory_wire.ops import OPS
from memory_wire.serve import slim
from tests.evidence.pages import PAGES, ROOT, Block, anchors, blocks, spans

BLOCKS = [block for page in PAGES for block in blocks(page)]
NUMBER = r"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?|\.\d+)"
MEASURED = re.compile(NUMBER + r"[\s ]?(ms|µs|MiB|GiB|MB|KB|%|x|k|s|memories/s|rows/s|files/s|/s|per second)(?![\w/])")
ALWAYS = re.compile(NUMBER + r"[\s ]?(ms|µs|MiB)(?![\w/])")  # what a page can't state without a file that has it
LIMIT = re.compile(r"\b(limits?|at most|up to|above|default|no longer than|never takes longer)\b", re.IGNORECASE)
RANK = re.compile(r"(?:R@\d+|N@10|MRR)[\s ]" + NUMBER)
OWN = {"/health", "/ready", "/metrics", "/openapi.json", "/ui", "/mcp", "/mcp/BANK"}
SERVE = re.compile(r"--[a-z][a-z-]+")


@cache
def numbers(path: Path) -> frozenset[float]:
    """Every number that a results file prints."""
    return frozenset(float(text.replace(",", "")) for text in re.findall(NUMBER, path.read_text()))


def printed(text: str, path: Path) -> bool:
    """Whether a file has a number, as it is or rounded to its digits, also as thousands of a smaller unit."""
    value, digits = float(text.replace(",", "")), len(text.partition(".")[2])
    half = 0.5 * 10**-digits + 1e-9
    return any(abs(number / scale - value) <= half for number in numbers(path) for scale in (1, 1_000, 1_000_000, 1.048576, 0.01))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_is_dead(page: Path) -> None:
    dead = []
    for block in (block for block in BLOCKS if block.page == page):
        for link in block.links:
            target, _, anchor = link.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and anchor not in anchors(path)):
                dead.append(f"{block.place}: {link}")
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_measured_numbers_stand_in_the_file_that_is_linked(page: Path) -> None:
    wrong = []
    for block in (block for block in BLOCKS if block.page == page and not block.code):
        text = re.sub(r"`[^`]*`", "", block.text)
        if block.results:
            found = [match[1] for match in (*MEASURED.finditer(text), *RANK.finditer(text))]
            wrong += [
                f"{block.place}: {n} is not in {block.results[0].name}" for n in found if not any(printed(n, p) for p in block.results)
            ]
        elif not LIMIT.search(text):
            wrong += [f"{block.place}: {match[0]} has no results file" for match in (*ALWAYS.finditer(text), *RANK.finditer(text))]
    assert wrong == []


def flags_of(verb: str) -> set[str]:
    """The options of a command, as they are typed."""
    command = commands()[verb]
    own = {f"--{option.name}" for option in command.options}
    return own | set(SERVE.findall(apart.text(verb) or "")) | {"--help"}


def said(block: Block) -> list[tuple[str, list[str]]]:
    """(verb, words after it) of every command of ours in a block's code."""
    found = []
    for span in spans(block):
        for part in re.split(r"&&|\||;", re.sub(r"'[^']*'|\"[^\"]*\"|\$\([^)]*\)", "TEXT", span)):
            words = part.split()
            names = [i for i, word in enumerate(words) if word == "memory-wire" or word.endswith("/memory-wire")][:1]
            names = [at for at in names if all("=" in word for word in words[:at])]
            if names and len(words) > names[0] + 1 and re.fullmatch(r"[a-z][a-z-]+", words[names[0] + 1]):
                found.append((words[names[0] + 1], words[names[0] + 2 :]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_flags_are_the_products(page: Path) -> None:
    every = commands()
    wrong = []
    for block in (block for block in BLOCKS if block.page == page):
        for verb, words in said(block):
            if verb not in every and verb != "help":
                wrong.append(f"{block.place}: memory-wire {verb}")
                continue
            given = {word.partition("=")[0] for word in words if word.startswith("--")} if verb != "help" else set()
            wrong += [f"{block.place}: memory-wire {verb} {flag}" for flag in sorted(given and given - flags_of(verb))]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_flags_alone_belong_to_something(page: Path) -> None:
    """A span that is a flag and nothing else is one of ours, of the benches, of the scripts or of a program that the block names."""
    ours = {flag for verb in commands() for flag in flags_of(verb)}
    scripts = "".join(
        path.read_text() for folder in ("bench", "wheels") for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".sh"}
    )
    wrong = []
    for block in (block for block in BLOCKS if block.page == page and not block.code):
        for span in spans(block):
            match = re.fullmatch(r"(--[a-z][a-z-]+)([ =].*)?", span)
            if match and match[1] not in ours and match[1] not in scripts:
                wrong.append(f"{block.place}: {match[1]}")
    assert wrong == []


def routes() -> list[tuple[str, list[str]]]:
    return [(op.http[0], op.http[1].split("/")) for op in OPS]


def known(verb: str, path: str) -> bool:
    """Whether there is such a route; what is in capitals or braces stands for anything."""
    if path.partition("?")[0] in OWN:
        return True
    parts = path.partition("?")[0].rstrip("/").split("/")
    for method, other in routes():
        if verb in ("", method, "HEAD") and len(other) == len(parts):
            pairs = zip(parts, other, strict=True)
            if all(a == b or b.startswith("{") or re.fullmatch(r"[A-Z_]+|\{\w+\}|…|:\w+", a) for a, b in pairs):
                return True
        if parts[-1] in {"…", "*"} and other[: len(parts) - 1] == parts[:-1]:
            return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_routes_are_the_products(page: Path) -> None:
    wrong = []
    for block in (block for block in BLOCKS if block.page == page and not block.code):
        for span in spans(block):
            match = re.fullmatch(
                r"(?:(GET|POST|PUT|PATCH|DELETE|HEAD) )?(/(?:v1|banks|mcp|ui|health|ready|metrics|openapi|api|raw|hub|b)\S*)", span
            )
            if match and not known(match[1] or "", match[2]):
                wrong.append(f"{block.place}: {span}")
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_are_run_exist(page: Path) -> None:
    wrong = []
    for block in (block for block in BLOCKS if block.page == page):
        for span in spans(block):
            for name in re.findall(r"python3? -m (bench[\w.]*)", span):
                if util.find_spec(name) is None:
                    wrong.append(f"{block.place}: {name}")
    assert wrong == []


def test_versions_are_those_that_the_server_is_tied_to() -> None:
    text = (ROOT / ".github" / "VERSIONS.md").read_text()
    for level in slim.TESTED.values():
        for name, versions in level.items():
            assert all(f"| {name} | {version}" in text for version in versions), name
    for first, second in slim.PYTHONS:
        assert f"{first}.{second}" in text


def test_the_results_name_the_command_that_makes_them() -> None:
    """Every results file begins with a title that a bench prints."""
    titles = {match for path in (ROOT / "bench").rglob("*.py") for match in re.findall(r'Report\(\s*"([^"]+)"', path.read_text())}
    for path in (ROOT / "bench" / "results").glob("*.md"):
        title = path.read_text().splitlines()[0].removeprefix("# ")
        assert title in titles, path.name


def test_the_checks_see_what_is_wrong(tmp_path: Path) -> None:
    """A page with one fault of each kind."""
    page = tmp_path / "page.md"
    page.write_text("Recall takes 3 ms.\n\n    memory-wire recal x  # typo\n\n`memory-wire recall q --frist` and `GET /v1/nowhere`\n")
    found = list(blocks(page))
    assert [block.code for block in found] == [False, True, False]
    assert ALWAYS.search(found[0].text) and not found[0].results
    assert said(found[1]) == [("recal", ["x"])] and said(found[2]) == [("recall", ["q", "--frist"])]
    assert "--frist" not in flags_of("recall") and not known("GET", "/v1/nowhere") and known("POST", "/banks/NAME/recall")
